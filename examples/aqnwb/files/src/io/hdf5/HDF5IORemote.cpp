#include <exception>
#include <memory>
#include <string>

#include "io/hdf5/HDF5IO.hpp"

#include <H5Cpp.h>

#ifdef AQNWB_WITH_REMFILE
#  include <remfile/hdf5.hpp>
#endif

using namespace AQNWB::IO::HDF5;

bool HDF5IO::canOpenRemote()
{
#ifdef AQNWB_WITH_REMFILE
  return true;
#else
  return false;
#endif
}

std::string HDF5IO::getRemoteError() const
{
  return m_remoteError;
}

#ifdef AQNWB_WITH_REMFILE

Status HDF5IO::openRemote(const std::string& options)
{
  if (m_opened) {
    m_remoteError = "HDF5IO::openRemote: a file is open already";
    return Status::Failure;
  }

  try {
    // As open(FileMode::ReadOnly) has them
    H5::FileAccPropList fapl = H5::FileAccPropList::DEFAULT;
    H5Pset_libver_bounds(fapl.getId(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);

    const hid_t fileId = remfile::open_hdf5(getFileName(),
                                            remfile::Options::parse(options),
                                            fapl.getId(),
                                            H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
    m_file = std::make_unique<H5::H5File>(fileId);
    H5Idec_ref(fileId);  // H5File holds a reference of its own
  } catch (const H5::Exception& e) {
    m_remoteError = "HDF5IO::openRemote: " + e.getDetailMsg();
    return Status::Failure;
  } catch (const std::exception& e) {
    m_remoteError = std::string("HDF5IO::openRemote: ") + e.what();
    return Status::Failure;
  }
  m_remoteError.clear();
  m_remote = true;
  m_opened = true;
  return Status::Success;
}

void HDF5IO::prefetchRemote(const H5::DataSet& dataset,
                            const H5::DataSpace& selection) const
{
  if (!m_remote) {
    return;
  }
  try {
    remfile::prefetch(dataset.getId(), selection.getId());
  } catch (const remfile::Error&) {
    // The read that follows meets the same obstacle and reports it
  }
}

#else

Status HDF5IO::openRemote(const std::string& /*options*/)
{
  m_remoteError =
      "HDF5IO::openRemote: AqNWB was built without remfile; configure it with "
      "-DAQNWB_WITH_REMFILE=ON to read remote files";
  return Status::Failure;
}

void HDF5IO::prefetchRemote(const H5::DataSet& /*dataset*/,
                            const H5::DataSpace& /*selection*/) const
{
}

#endif
