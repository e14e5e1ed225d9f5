if(AQNWB_WITH_REMFILE AND NOT BUILD_SHARED_LIBS)
  install(
      FILES cmake/install-remfile.cmake
      DESTINATION "${aqnwb_INSTALL_CMAKEDIR}"
      RENAME "${package}Remfile.cmake"
      COMPONENT aqnwb_Development
  )
endif()

