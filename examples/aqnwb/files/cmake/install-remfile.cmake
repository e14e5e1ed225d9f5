# Part of the package config of a static AqNWB that reads remote files.
find_dependency(remfile COMPONENTS hdf5)
set_property(
    TARGET aqnwb::aqnwb APPEND PROPERTY
    INTERFACE_LINK_LIBRARIES "$<LINK_ONLY:remfile::remfile>"
)
