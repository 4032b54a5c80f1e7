# Shared by tools/bundle and tools/package: an installed tree whose programs run on other machines. It is sourced behind
# tools/lib.sh, never run.
# shellcheck shell=bash disable=SC2154
torch_version=$(sed -n 's/^set(SWEEPD_TORCH_VERSION \([0-9.]*\))/\1/p' "$repo/cmake/LibTorch.cmake")

# install_tree BUILD TREE LOG: stripped programs and data. bin/sweep-worker is the launcher that finds LibTorch.
install_tree() {
  local build=$1 tree=$2 log=$3 component
  for component in Unspecified data; do
    logged "$log" cmake --install "$build" --prefix "$tree" --strip --component "$component"
  done
  mkdir -p "$tree/libexec" "$tree/lib"
  mv "$tree/bin/sweep-worker" "$tree/libexec/"
  sed "s/@torch_version@/$torch_version/" "$repo/packaging/sweep-worker" >"$tree/bin/sweep-worker"
  chmod 755 "$tree/bin/sweep-worker"
}

# add_libraries TREE PROGRAM...: copies the libraries that the programs need into lib/, where their run path finds them.
add_libraries() {
  local tree=$1 library path
  shift
  # Libraries that come from the target: the C and C++ run time, LibTorch with its libgomp, all of
  # CUDA.
  local theirs='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util)|libstdc\+\+|libgcc_s|libgomp|libtorch.*|libc10.*|libcu.*|libnv.*|libnccl.*)\.so'
  while read -r library _ path _; do
    if [[ $library =~ $theirs || $library == linux-vdso* || $library == /* ]]; then continue; fi
    if [[ $path == not ]]; then die "$library is needed and was not found on this machine"; fi
    if [[ ! -e $tree/lib/$library ]]; then install -m 644 -s "$path" "$tree/lib/$library"; fi
  done < <(ldd "$@" "$tree"/lib/*.so* 2>/dev/null | grep '=>')
}

# needed TREE PREFIX: the newest version of the symbols PREFIX_N that programs and libraries need.
needed() {
  find "$1" -type f \( -path '*/lib/*.so*' -o -path '*/libexec/*' -o -path '*/bin/sweep*' \) \
    -exec objdump -T {} + 2>/dev/null | grep -oE "\($2_[0-9.]+\)|\b$2_[0-9.]+" | tr -d '()' | sort -Vu | tail -n 1
}

# The oldest glibc with which programs of TREE start, as a platform of wheels. Each version of libstdc++ first came with a
# system of the glibc beside it.
platform_of() {
  local tree=$1 libstdcxx glibc
  libstdcxx=$(needed "$tree" GLIBCXX)
  case ${libstdcxx##*.} in
    [0-9] | 1? | 2[0-8]) glibc=2.31 ;;
    29) glibc=2.34 ;;
    30) glibc=2.35 ;;
    31 | 32) glibc=2.38 ;;
    33) glibc=2.39 ;;
    *) glibc=$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2) ;;
  esac
  glibc=$(printf '%s\n' "$glibc" "$(needed "$tree" GLIBC | sed 's/GLIBC_\([0-9]*\.[0-9]*\).*/\1/')" | sort -V | tail -n 1)
  echo "manylinux_${glibc/./_}_$(uname -m)"
}
