# futexsim_python: any Python 3. futexsim_notebook_python: one that can run the notebooks. The first
# python3 of the path may be a private one that doesn't see the system's packages.
set(futexsim_python)
set(futexsim_notebook_python)
set(has_modules "import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))")
foreach(candidate IN ITEMS python3 /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "${has_modules}" sys
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0 AND NOT futexsim_python)
    set(futexsim_python ${candidate})
  endif()
  execute_process(COMMAND ${candidate} -c "${has_modules}" nbconvert ipykernel pandas matplotlib
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0 AND NOT futexsim_notebook_python)
    set(futexsim_notebook_python ${candidate})
  endif()
endforeach()
if(NOT futexsim_notebook_python)
  message(STATUS "No Python with nbconvert, ipykernel, pandas and matplotlib: notebooks are not run")
endif()
