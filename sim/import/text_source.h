// A file of the user's as text: bounded, plain or gzip by its first bytes, freed of what terminals and launchers add.
//
//   const std::string text = clean_text(read_source(path));
//   for (const std::string& line : lines_of(text)) use(without_prefix(line));
//
// Checked by: tests/sim/import_text_test.cc.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace clustersim {

inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

// The whole content, decompressed. A fault (InputError): no such file, a folder, empty, damaged gzip, a tar
// archive, a Git LFS pointer, more than `most_bytes` after decompression, or a gzip file that unpacks to over 250 times
// its size.
std::string read_source(const std::string& path, std::size_t most_bytes = kMostTextBytes);

// The same as a stream, for files that do not fit in memory; reading on beyond `most_bytes` or into damaged gzip
// throws InputError.
std::unique_ptr<std::istream> open_source(const std::string& path, std::size_t most_bytes);

// Without byte order mark, ANSI escapes and carriage returns before a line's end; UTF-16 as UTF-8. Other bytes stay.
std::string clean_text(std::string text);

std::vector<std::string> lines_of(const std::string& text);

// What the file begins with, clean; at most `most_bytes` of it, for telling formats. InputError as above.
std::string beginning_of(const std::string& path, std::size_t most_bytes);

// The next line of a stream, without its end and carriage return; false at the end. Of a line longer than `most` the
// rest is passed over and `cut` set.
bool next_line(std::istream& source, std::string& line, std::size_t most, bool& cut);

// Without what launchers put before a line: "[1,0]<stdout>:" (mpirun), "3: " (srun -l), "[pod/name] " (kubectl),
// "node7: " (pdsh), "> " (a mail), and a time stamp "2024-05-01T12:00:00.000Z " (container logs).
std::string without_prefix(const std::string& line);

// Blanks and tabs off both ends.
std::string trimmed(const std::string& text);
// Letters of ASCII.
std::string lower_case(std::string text);

// At most `limit` characters, for a fault's "got"; bytes that are no printable ASCII become "?".
std::string shown(const std::string& text, std::size_t limit = 60);

}  // namespace clustersim
