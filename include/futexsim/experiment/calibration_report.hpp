#pragma once

#include <string>
#include <vector>

#include "futexsim/experiment/calibration.hpp"

namespace futexsim {

/// What to think of before using the numbers: not converged, at a bound, not identified, nearly
/// degenerate pairs. A line each. Of a calibration that wasn't interrupted.
std::vector<std::string> calibration_warnings(const CalibrationResult& result);

/// {"machine", "tables": [...], "numbers": [...], "correlation": [[...]], ...}; errors, shares
/// and correlations as fractions, uncertainties in the number's unit.
std::string calibration_json(const Calibration& calibration, const CalibrationResult& result);
/// The same for people.
std::string calibration_text(const Calibration& calibration, const CalibrationResult& result);

/// The machine's file with the numbers, as with_fitted_numbers() makes it.
std::string calibrated_machine(const Calibration& calibration, const CalibrationResult& result);

}  // namespace futexsim
