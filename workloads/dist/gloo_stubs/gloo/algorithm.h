// The torch wheel has Gloo's code but not its headers. c10d's ProcessGroupGloo.hpp includes five of
// them and uses their types only by pointer, so these five replace them.
#pragma once
