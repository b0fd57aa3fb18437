// Everything that turns observations into an answer with an error bar.
#pragma once

#include "futexsim/engine/confidence_interval.hpp"
#include "futexsim/engine/running_moments.hpp"
#include "futexsim/engine/stopping_rule.hpp"
#include "futexsim/engine/student_t.hpp"
#include "futexsim/engine/wait_histogram.hpp"
#include "futexsim/engine/warm_up.hpp"
