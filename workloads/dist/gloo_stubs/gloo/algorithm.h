// The torch wheel has Gloo's code and not its headers. c10d's ProcessGroupGloo.hpp includes five of
// them and only holds what they declare by pointer, so these five stand in for them.
#pragma once
