// A stand-in: see gloo/algorithm.h.
#pragma once
