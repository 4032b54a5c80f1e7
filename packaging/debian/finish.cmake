# CPack runs this on the staged trees, before it makes packages of them: adds the files that Debian asks of every
# package, and compresses what it wants compressed. -n leaves the time out, so that the same tree gives the same bytes.
foreach(group IN ITEMS main torch)
  set(tree ${CPACK_TEMPORARY_DIRECTORY}/${group})
  if(NOT EXISTS ${tree})
    continue()
  endif()
  # Debian's zsh looks for the functions of packages here.
  if(EXISTS ${tree}/usr/share/zsh/site-functions)
    file(RENAME ${tree}/usr/share/zsh/site-functions ${tree}/usr/share/zsh/vendor-completions)
  endif()
  string(TOUPPER ${group} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc ${tree}/usr/share/doc/${name})
  file(COPY ${source}/packaging/debian/copyright DESTINATION ${doc} NO_SOURCE_PERMISSIONS)
  file(WRITE ${doc}/changelog.Debian "${name} (${version}-${release}) unstable; urgency=medium\n\n"
       "  * Packaged by tools/package; changelog.gz says what is new in this version.\n\n"
       " -- ${maintainer}  ${date}\n")
  file(COPY ${source}/CHANGELOG.md DESTINATION ${doc} NO_SOURCE_PERMISSIONS)
  file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
  file(GLOB pages ${tree}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${doc}/changelog.Debian ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
