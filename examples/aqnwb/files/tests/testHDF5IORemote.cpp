#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include <H5Cpp.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "Channel.hpp"
#include "Types.hpp"
#include "Utils.hpp"
#include "io/hdf5/HDF5IO.hpp"
#include "nwb/NWBFile.hpp"
#include "nwb/ecephys/ElectricalSeries.hpp"
#include "nwb/file/ElectrodesTable.hpp"
#include "rangeServer.hpp"
#include "testUtils.hpp"

using namespace AQNWB;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("openRemote without remfile", "[hdf5io][remote]")
{
  if (IO::HDF5::HDF5IO::canOpenRemote()) {
    SUCCEED("AqNWB was built with remfile");
    return;
  }
  IO::HDF5::HDF5IO io("http://127.0.0.1:1/file.nwb");
  REQUIRE(io.openRemote() == Status::Failure);
  REQUIRE_THAT(io.getRemoteError(), ContainsSubstring("AQNWB_WITH_REMFILE"));
  REQUIRE_FALSE(io.isOpen());
}

#ifndef _WIN32

namespace
{

const SizeType numSamples = 5000;
const SizeType numChannels = 4;

/// Records two ElectricalSeries; the file stays open and recording goes on.
std::shared_ptr<IO::HDF5::HDF5IO> startRecording(const std::string& path)
{
  auto io = std::make_shared<IO::HDF5::HDF5IO>(path);
  REQUIRE(io->open(IO::FileMode::Overwrite) == Status::Success);
  auto nwbfile = NWB::NWBFile::create(io);
  REQUIRE(nwbfile->initialize(generateUuid()) == Status::Success);
  std::vector<Types::ChannelVector> arrays = getMockChannelArrays(numChannels);
  REQUIRE(nwbfile->createElectrodesTable(arrays) != nullptr);
  std::vector<SizeType> indexes;
  REQUIRE(nwbfile->createElectricalSeries(
              arrays, getMockChannelArrayNames(), BaseDataType::F32, indexes)
          == Status::Success);
  REQUIRE(io->startRecording() == Status::Success);

  const auto data = getMockData2D(numSamples, numChannels);
  const auto timestamps = getMockTimestamps(numSamples);
  for (const SizeType index : indexes) {
    auto series = std::dynamic_pointer_cast<NWB::ElectricalSeries>(
        io->getRecordingObjects()->getRecordingObject(index));
    REQUIRE(series != nullptr);
    for (SizeType channel = 0; channel < numChannels; ++channel) {
      REQUIRE(series->writeChannel(
                  channel, numSamples, data[channel].data(), timestamps.data())
              == Status::Success);
    }
  }
  REQUIRE(io->flush() == Status::Success);
  return io;
}

void record(const std::string& path)
{
  auto io = startRecording(path);
  io->stopRecording();
  io->close();
}

/// All that the tests read of a file.
struct Contents
{
  std::unordered_map<std::string, std::string> types;
  std::vector<std::string> locations;
  std::vector<float> data;
  std::vector<float> slice;
  std::string unit;

  explicit Contents(const std::shared_ptr<IO::HDF5::HDF5IO>& io)
      : types(io->findTypes("/", {}, IO::SearchMode::CONTINUE_ON_TYPE))
  {
    auto file = NWB::RegisteredType::create<NWB::NWBFile>("/", io);
    locations = file->readElectrodesTable()
                    ->readLocationColumn()
                    ->readData()
                    ->values()
                    .data;
    auto series = NWB::RegisteredType::create<NWB::ElectricalSeries>(
        "/acquisition/esdata0", io);
    data = series->readData()->values().data;
    slice = series->readData()->values({1000, 1}, {2000, 2}).data;
    unit = series->readDataUnit()->values().data.at(0);
  }

  bool operator==(const Contents& other) const
  {
    return types == other.types && locations == other.locations
        && data == other.data && slice == other.slice && unit == other.unit;
  }
};

Contents readLocal(const std::string& path)
{
  auto io = std::make_shared<IO::HDF5::HDF5IO>(path);
  REQUIRE(io->open(IO::FileMode::ReadOnly) == Status::Success);
  Contents contents(io);
  REQUIRE(io->close() == Status::Success);
  return contents;
}

/// Why a URL cannot be opened
std::string remoteError(const std::string& url, const std::string& options = "")
{
  IO::HDF5::HDF5IO io(url);
  REQUIRE(io.openRemote(options) == Status::Failure);
  REQUIRE_FALSE(io.isOpen());
  return io.getRemoteError();
}

}  // namespace

TEST_CASE("openRemote", "[hdf5io][remote]")
{
  if (!IO::HDF5::HDF5IO::canOpenRemote()) {
    SUCCEED("AqNWB was built without remfile");
    return;
  }
  const std::string path = getTestFilePath("testOpenRemote.nwb");
  record(path);
  RangeServer server(path);

  SECTION("reads what open(ReadOnly) reads")
  {
    const Contents local = readLocal(path);
    REQUIRE(local.data.size() == numSamples * numChannels);

    // [example_open_remote_snippet]
    // The URL takes the place of the file name
    std::string url = server.url();
    auto io = std::make_shared<IO::HDF5::HDF5IO>(url);
    Status status = io->openRemote();
    if (status != Status::Success) {
      std::cerr << io->getRemoteError() << std::endl;
    }
    REQUIRE(status == Status::Success);
    // [example_open_remote_snippet]
    REQUIRE(io->isOpen());
    REQUIRE(io->getFileName() == url);
    REQUIRE(io->getRemoteError().empty());
    REQUIRE(server.requests() > 0);
    REQUIRE(Contents(io) == local);

    REQUIRE(io->close() == Status::Success);
    REQUIRE_FALSE(io->isOpen());
    REQUIRE(io->openRemote() == Status::Success);  // and once more
    REQUIRE(Contents(io) == local);
  }

  SECTION("opens for reading only")
  {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(server.url());
    REQUIRE(io->openRemote() == Status::Success);
    REQUIRE_FALSE(io->canModifyObjects());
    REQUIRE(io->createGroup("/new_group") == Status::Failure);
  }

  SECTION("takes options")
  {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(server.url());
    // [example_open_remote_options_snippet]
    Status status = io->openRemote("max_retries=20, max_cache_size=200MiB");
    // [example_open_remote_options_snippet]
    REQUIRE(status == Status::Success);
    REQUIRE_THAT(remoteError(server.url(), "max_retrys=20"),
                 ContainsSubstring("max_retrys"));
  }

  SECTION("fails while a file is open and leaves that one alone")
  {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(server.url());
    REQUIRE(io->openRemote() == Status::Success);
    REQUIRE(io->openRemote() == Status::Failure);
    REQUIRE_THAT(io->getRemoteError(), ContainsSubstring("open already"));
    REQUIRE(io->isOpen());
    REQUIRE(io->objectExists("/acquisition/esdata0"));
  }

  SECTION("tells why it fails")
  {
    REQUIRE_THAT(remoteError(server.url("missing?signature=secret")),
                 ContainsSubstring("404") && !ContainsSubstring("secret"));
    REQUIRE_THAT(remoteError("ftp://127.0.0.1/file.nwb"),
                 ContainsSubstring("http"));
    REQUIRE_THAT(remoteError(path), ContainsSubstring("URL"));
    REQUIRE_THAT(remoteError(""), ContainsSubstring("without a name"));
    REQUIRE_THAT(remoteError("http://127.0.0.1:1/file.nwb", "max_retries=0"),
                 ContainsSubstring("127.0.0.1:1"));
  }

  SECTION("opens after a failure")
  {
    IO::HDF5::HDF5IO io(server.url());
    REQUIRE(io.openRemote("hints=perhaps") == Status::Failure);
    REQUIRE_FALSE(io.getRemoteError().empty());
    REQUIRE(io.openRemote() == Status::Success);
    REQUIRE(io.getRemoteError().empty());
  }
}

TEST_CASE("openRemote of a file being recorded", "[hdf5io][remote]")
{
  if (!IO::HDF5::HDF5IO::canOpenRemote()) {
    SUCCEED("AqNWB was built without remfile");
    return;
  }
  const std::string path = getTestFilePath("testOpenRemoteRecording.nwb");
  auto recording = startRecording(path);
  RangeServer server(path);

  auto io = std::make_shared<IO::HDF5::HDF5IO>(server.url());
  REQUIRE(io->openRemote() == Status::Success);
  REQUIRE(Contents(io).data.size() == numSamples * numChannels);
  REQUIRE(io->close() == Status::Success);
  recording->stopRecording();
}

#endif
