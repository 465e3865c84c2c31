# Warnings, the baseline CPU, sanitizers and the linker, as one interface target that every target of ours links.
add_library(tiercel_flags INTERFACE)
target_include_directories(tiercel_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(tiercel_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror -fno-omit-frame-pointer)
target_compile_definitions(tiercel_flags INTERFACE TIERCEL_VERSION="${PROJECT_VERSION}")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The binary runs on any x86-64-v2 CPU; wider instructions only in simd's units, chosen at run time.
  target_compile_options(tiercel_flags INTERFACE -march=x86-64-v2)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(tiercel_flags INTERFACE -Wthread-safety -Wno-missing-field-initializers
    -Wno-deprecated-declarations)  # std::stable_sort of libstdc++ 12 is made of a deprecated function
else()
  # GCC 12 reports false positives from these two inside libstdc++ at -O2 (bugs 105651, 105562, 104475).
  target_compile_options(tiercel_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-missing-field-initializers
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

if(TIERCEL_SANITIZE)
  target_compile_options(tiercel_flags INTERFACE -fsanitize=${TIERCEL_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(tiercel_flags INTERFACE -fsanitize=${TIERCEL_SANITIZE})
endif()

find_program(TIERCEL_MOLD mold)
if(TIERCEL_MOLD)
  target_link_options(tiercel_flags INTERFACE -fuse-ld=mold)
endif()
find_program(TIERCEL_CCACHE ccache)
if(TIERCEL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TIERCEL_CCACHE})
endif()
