# The static library is one archive of two members, remfile_core.o and remfile_vfd.o, in which only
# remfile's public functions are visible. A program may then link other Rust libraries beside it
# (two Rust archives as cargo makes them define the same symbols), and one that uses remfile::Driver
# alone needs no HDF5, for no member is taken that it does not name.
#
# This takes a linker that resolves groups in a partial link, which is GNU ld's
# --force-group-allocation, and objcopy. Where these are missing, and on systems other than Linux, the
# layout is PLAIN: C++ objects in libremfile.a, Rust in an archive beside it. It works as long as
# remfile is the only Rust library in the program.
set(REMFILE_STATIC_LAYOUT
    AUTO
    CACHE STRING "Static library: MERGED (nothing but the public functions is visible), PLAIN, or AUTO")
set_property(CACHE REMFILE_STATIC_LAYOUT PROPERTY STRINGS AUTO MERGED PLAIN)

function(_remfile_find_gnu_ld)
  foreach(program "${CMAKE_LINKER}" ld.bfd)
    find_program(REMFILE_GNU_LD "${program}")
    mark_as_advanced(REMFILE_GNU_LD)
    if(REMFILE_GNU_LD)
      execute_process(COMMAND "${REMFILE_GNU_LD}" --version OUTPUT_VARIABLE version ERROR_QUIET)
      if(version MATCHES "^GNU ld")
        return()
      endif()
      unset(REMFILE_GNU_LD CACHE)
    endif()
  endforeach()
endfunction()

# Sets `result` to ON where the static library can be, and is to be, merged.
function(remfile_can_merge result)
  set(${result} OFF PARENT_SCOPE)
  if(REMFILE_STATIC_LAYOUT STREQUAL "PLAIN")
    return()
  endif()
  # Generators of several configurations need one object each, which custom commands cannot say in 3.22.
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_CONFIGURATION_TYPES AND CMAKE_OBJCOPY)
    _remfile_find_gnu_ld()
    if(REMFILE_GNU_LD)
      set(${result} ON PARENT_SCOPE)
      return()
    endif()
  endif()
  if(REMFILE_STATIC_LAYOUT STREQUAL "MERGED")
    message(FATAL_ERROR "REMFILE_STATIC_LAYOUT is MERGED, which needs Linux, GNU ld, objcopy and a generator of one "
                        "configuration")
  endif()
  message(STATUS "remfile: plain static library; do not link another Rust static library beside it")
endfunction()

# remfile_merge(OUTPUT SYMBOLS LIBRARY [ARCHIVE...])
#
# Links all of the static library target LIBRARY, and of each ARCHIVE target what it needs, into the
# object file OUTPUT, where only the symbols listed in the file SYMBOLS stay visible.
function(remfile_merge output symbols library)
  set(files)
  foreach(target IN LISTS ARGN)
    list(APPEND files $<TARGET_FILE:${target}>)
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${REMFILE_GNU_LD}" -r --force-group-allocation -o "${output}.part" --whole-archive
            $<TARGET_FILE:${library}> --no-whole-archive ${files}
    # LLVM's bit code in the objects of Rust's standard library makes binutils' LLVM plugin abort.
    COMMAND "${CMAKE_OBJCOPY}" --remove-section=.llvmbc --remove-section=.llvmcmd
            $<$<CONFIG:Release,MinSizeRel>:--strip-debug> --wildcard "--keep-global-symbols=${symbols}"
            "${output}.part" "${output}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${output}.part"
    # The library and not its objects: Unix Makefiles does not build $<TARGET_OBJECTS> named here.
    DEPENDS ${library} ${ARGN} ${files} "${symbols}"
    COMMENT "Merging ${library}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
