#include "contents.hpp"

#include <algorithm>
#include <any>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include <H5Cpp.h>

#include "nwb/NWBFile.hpp"
#include "nwb/RegisteredType.hpp"
#include "nwb/ecephys/ElectricalSeries.hpp"
#include "nwb/file/ElectrodesTable.hpp"

using namespace AQNWB;

namespace {

std::string text_of(const SizeArray &sizes) {
    std::string text;
    for (const SizeType size : sizes)
        text += std::to_string(size) + ' ';
    return text;
}

// Values that would go uncompared: the test's fault, not AqNWB's.
struct UnknownValues : std::exception {
    const char *what() const noexcept override { return "the comparison does not know a type of values"; }
};

void append(std::string &bytes, const std::vector<std::string> &values) {
    for (const std::string &value : values)
        bytes += std::to_string(value.size()) + ' ' + value;
}

// As they are, so that NaN equals NaN.
template <class Number> void append(std::string &bytes, const std::vector<Number> &values) {
    bytes.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(Number));
}

// Appends the values if this is their type.
template <class Value> bool append_if(std::string &bytes, const std::any &values) {
    const auto *typed = std::any_cast<std::vector<Value>>(&values);
    if (typed)
        append(bytes, *typed);
    return typed != nullptr;
}

template <class... Value> bool append_any(std::string &bytes, const std::any &values) {
    return (append_if<Value>(bytes, values) || ...);
}

std::string bytes_of(const IO::DataBlockGeneric &block) {
    std::string bytes =
        "shape " + text_of(block.shape) + "type " + std::to_string(block.baseDataType.type) + ": ";
    if (!append_any<std::int8_t, std::int16_t, std::int32_t, std::int64_t, long long, std::uint8_t,
                    std::uint16_t, std::uint32_t, std::uint64_t, unsigned long long, float, double,
                    std::string>(bytes, block.data))
        throw UnknownValues();
    return bytes;
}

class Reader {
  public:
    explicit Reader(const Io &io) : io_(io) {}

    Contents read() {
        walk("/");
        for (const auto &[path, type] : io_->findTypes("/", {}, IO::SearchMode::CONTINUE_ON_TYPE)) {
            contents_.entries["findTypes " + path] = type;
            note("create " + path, [&, &path = path] {
                const auto object = NWB::RegisteredType::create(path, io_);
                return object ? object->getFullTypeName() : "a type that AqNWB does not know";
            });
            if (type == "core::ElectricalSeries")
                read_series(path);
        }
        read_file();
        return std::move(contents_);
    }

  private:
    void note(const std::string &what, const std::function<std::string()> &read) {
        std::string &entry = contents_.entries[what];
        try {
            entry = read();
            contents_.value_bytes += entry.size();
        } catch (const H5::Exception &error) { // no std::exception
            entry = "refused: " + error.getDetailMsg();
            ++contents_.refused;
        } catch (const UnknownValues &) {
            throw;
        } catch (const std::exception &error) {
            entry = std::string("refused: ") + error.what();
            ++contents_.refused;
        }
    }

    void walk(const std::string &path) {
        for (const auto &[name, type] : io_->getStorageObjects(path)) {
            const std::string child = mergePaths(path, name);
            note("type of " + child, [&, type = type] {
                return Types::storageObjectTypeToString(type) + ' ' +
                       Types::storageObjectTypeToString(io_->getStorageObjectType(child));
            });
            if (type == StorageObjectType::Group) {
                walk(child);
            } else if (type == StorageObjectType::Dataset) {
                note("shape of " + child, [&] { return text_of(io_->getStorageObjectShape(child)); });
                note("chunks of " + child, [&] { return text_of(io_->getStorageObjectChunking(child)); });
                note("dataset " + child, [&] { return bytes_of(io_->readDataset(child)); });
                walk(child); // its attributes
            } else if (type == StorageObjectType::Attribute) {
                note("attribute " + child, [&] { return bytes_of(io_->readAttribute(child)); });
                note("reference " + child, [&] { return io_->readReferenceAttribute(child); });
            }
        }
    }

    void read_series(const std::string &path) {
        ++contents_.series;
        auto series = NWB::RegisteredType::create<NWB::ElectricalSeries>(path, io_);
        auto data = series->readData();
        const SizeArray shape = data->getShape();
        const SizeArray middle = {shape.at(0) / 2, shape.at(1) / 2};
        const SizeArray rest = {shape[0] - middle[0], shape[1] - middle[1]};
        const SizeArray few = {std::min<SizeType>(rest[0], 7), 1};
        note(path + " slice", [&] { return bytes_of(data->valuesGeneric(middle, rest)); });
        note(path + " few", [&] { return bytes_of(data->valuesGeneric(middle, few)); });
        note(path + " steps", [&] {
            return bytes_of(data->valuesGeneric({0, 0}, {shape[0] / 5, 1}, {5, 1}));
        });
        note(path + " column", [&] { return bytes_of(data->valuesGeneric({0, 0}, {shape[0], 1})); });
        note(path + " beyond", [&] { return bytes_of(data->valuesGeneric(shape, {1, 1})); });
        note(path + " unit", [&] { return series->readDataUnit()->values().data.at(0); });
        note(path + " timestamps", [&] { return bytes_of(series->readTimestamps()->valuesGeneric()); });
        note(path + " electrodes", [&] { return bytes_of(series->readElectrodes()->valuesGeneric()); });
        note(path + " electrodes' table", [&] { return series->readElectrodesTable()->getPath(); });
    }

    void read_file() {
        auto file = NWB::RegisteredType::create<NWB::NWBFile>("/", io_);
        note("version", [&] { return file->readNWBVersion()->values().data.at(0); });
        note("identifier", [&] { return file->readIdentifier()->values().data.at(0); });
        note("session", [&] { return file->readSessionDescription()->values().data.at(0); });
        if (!io_->objectExists(NWB::ElectrodesTable::electrodesTablePath))
            return; // readElectrodesTable gives a null pointer then
        note("locations", [&] {
            return bytes_of(file->readElectrodesTable()->readLocationColumn()->readData()->valuesGeneric());
        });
        note("group names", [&] {
            return bytes_of(file->readElectrodesTable()->readGroupNameColumn()->readData()->valuesGeneric());
        });
    }

    Io io_;
    Contents contents_;
};

} // namespace

Contents read_all(const Io &io) { return Reader(io).read(); }
