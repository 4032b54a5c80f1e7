# The Debian packages, for CPack. tools/package sets, in a file that includes this one:
#
#   source               this checkout
#   version, release     0.2.0 and 1: Debian's version is 0.2.0-1
#   maintainer, date     NAME <ADDRESS>, and when as changelogs say it
#   torch_free_build     build folder of the programs, with the torch-free worker
#   torch_build          that of the worker with LibTorch; empty: only the package `sweepd` is made
#   libtorch             its LibTorch, where dpkg-shlibdeps finds the libraries that no package has
set(CPACK_GENERATOR DEB)
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_PACKAGE_NAME sweepd)
set(CPACK_PACKAGE_VERSION ${version})
set(CPACK_PACKAGE_FILE_NAME sweepd-${version})
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
# CPack insists on it, but each package has its own.
set(CPACK_PACKAGE_DESCRIPTION sweepd)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${maintainer})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES ON)
# The unit names the prefix, so it has to be the one on the target.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${source}/packaging/debian/finish.cmake)

# The components of each build, CPACK_COMPONENTS_<set>, and the group of each component. Each group is a package.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_MAIN Unspecified data)
set(CPACK_COMPONENTS_TORCH torch_package)
set(CPACK_COMPONENT_UNSPECIFIED_GROUP main)
set(CPACK_COMPONENT_DATA_GROUP main)
set(CPACK_COMPONENT_TORCH_PACKAGE_GROUP torch)
set(CPACK_INSTALL_CMAKE_PROJECTS ${torch_free_build} sweepd main /)
if(torch_build)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${torch_build} sweepd torch /)
endif()

set(CPACK_DEBIAN_MAIN_PACKAGE_NAME sweepd)
set(CPACK_DEBIAN_MAIN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MAIN_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_MAIN_PACKAGE_SUGGESTS sweepd-torch)
set(CPACK_DEBIAN_MAIN_DESCRIPTION "declarative experiment runner for benchmarks
A file describes a sweep: parameters, the values they take, and tables. A
daemon runs every point in a process of its own, stores times, memory and
the machine's state, and a command prints the tables.

This package measures any program. The package sweepd-torch adds the training
steps of language models, attention and the other workloads with LibTorch.")

# It needs what LibTorch itself needs. LibTorch comes with Python's torch, or is downloaded, so the section is contrib.
set(CPACK_DEBIAN_TORCH_PACKAGE_NAME sweepd-torch)
set(CPACK_DEBIAN_TORCH_PACKAGE_SECTION contrib/science)
set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "sweepd (= ${version}-${release}), python3")
set(CPACK_DEBIAN_TORCH_PACKAGE_RECOMMENDS "python3-pip, unzip")
set(CPACK_DEBIAN_TORCH_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${libtorch}/lib)
set(CPACK_DEBIAN_TORCH_DESCRIPTION "workloads with LibTorch for sweepd
The worker of sweepd that measures training steps of language models,
attention, matrix products and collective operations with LibTorch.

It takes LibTorch from the folder that SWEEPD_LIBTORCH names or from Python's
torch. Where neither is there, it downloads LibTorch (530 MB) into the user's
cache on first use.")
