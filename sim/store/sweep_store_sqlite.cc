#include <sqlite3.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/store/sweep_store.h"

namespace clustersim {

namespace {

using Json = nlohmann::ordered_json;

constexpr int application_id = 0x636c7377;  // "clsw": the file is a study's
constexpr int format_version = 1;

[[noreturn]] void refuse(const std::string& path, const std::string& expected, const std::string& got,
                         const std::string& hint) {
  throw InputError({{path, "", expected, got, hint}});
}

class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    const int code = sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    if (code != SQLITE_OK) {
      sqlite3_close(db_);
      fault(code);
    }
    sqlite3_busy_timeout(db_, 1000);
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) {
    const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fault(code);
  }

  [[noreturn]] void fault(int code) const {
    const std::string why = sqlite3_errstr(code);
    switch (code & 0xff) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        refuse(path_, "a database that nobody else uses", "another program has it",
               "wait for it, or name another file with --db");
      case SQLITE_NOTADB:
        refuse(path_, "a study's database", "a file of another kind", "name another file with --db");
      case SQLITE_CORRUPT:
        refuse(path_, "a sound database", "a damaged one", "remove it, or name another file with --db");
      default:
        refuse(path_, "a database that can be written", why, "name another file with --db");
    }
  }

  sqlite3* handle() const { return db_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  sqlite3* db_ = nullptr;
};

class Statement {
 public:
  Statement(const Database& db, const std::string& sql) : db_(db) {
    const int code = sqlite3_prepare_v2(db.handle(), sql.c_str(), -1, &statement_, nullptr);
    if (code != SQLITE_OK) db.fault(code);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int at, std::int64_t number) { sqlite3_bind_int64(statement_, at, number); }
  void bind(int at, double number) { sqlite3_bind_double(statement_, at, number); }

  bool step() {  // true on a row
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) db_.fault(code);
    return code == SQLITE_ROW;
  }
  void reset() { sqlite3_reset(statement_); }

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const {
    const unsigned char* const begin = sqlite3_column_text(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return begin == nullptr ? "" : std::string(begin, begin + size);
  }

 private:
  const Database& db_;
  sqlite3_stmt* statement_ = nullptr;
};

std::int64_t pragma(const Database& db, const char* name) {
  Statement statement(db, std::string("PRAGMA ") + name);
  return statement.step() ? statement.integer(0) : 0;
}

const char* status_name(SweepRow::Status status) {
  switch (status) {
    case SweepRow::Status::done:
      return "done";
    case SweepRow::Status::invalid:
      return "invalid";
    case SweepRow::Status::failed:
      return "failed";
  }
  return "";
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string metrics_json(const SweepRow& row) {
  Json json = Json::object();
  for (const auto& [name, value] : row.metrics) json[name] = value;
  return json_text(json);
}

std::string problems_json(const SweepRow& row) {
  Json json = Json::array();
  for (const Problem& p : row.problems)
    json.push_back(
        {{"file", p.file}, {"pointer", p.pointer}, {"expected", p.expected}, {"got", p.got}, {"hint", p.hint}});
  return json_text(json);
}

std::string identifier(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

class SqliteStore : public SweepStore {
 public:
  SqliteStore(const std::string& path, const StudyIdentity& study) : db_(path), study_(study) {
    db_.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE");
    if (pragma(db_, "application_id") == 0 && pragma(db_, "schema_version") == 0)
      begin();
    else
      check();
    db_.run("COMMIT");
  }

  std::vector<SweepRow> rows() override {
    std::vector<SweepRow> rows;
    Statement select(db_,
                     "SELECT point, status, metrics, currency, limit_kind, limit_resource, limit_share, problems "
                     "FROM points ORDER BY point");
    while (select.step()) rows.push_back(row_of(select));
    return rows;
  }

  void keep(const std::vector<SweepRow>& rows) override {
    db_.run("BEGIN");
    Statement insert(db_, "INSERT OR REPLACE INTO points VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    for (const SweepRow& row : rows) {
      insert.reset();
      insert.bind(1, static_cast<std::int64_t>(row.point));
      insert.bind(2, std::string(status_name(row.status)));
      insert.bind(3, axis_values_json(row.point));
      insert.bind(4, metrics_json(row));
      insert.bind(5, row.currency);
      insert.bind(6, row.limit_kind);
      insert.bind(7, row.limit_resource);
      insert.bind(8, row.limit_share);
      insert.bind(9, problems_json(row));
      insert.step();
    }
    db_.run("COMMIT");
  }

 private:
  void begin() {
    db_.run("PRAGMA application_id = " + std::to_string(application_id) +
            "; PRAGMA user_version = " + std::to_string(format_version) +
            "; CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
            "CREATE TABLE points (point INTEGER PRIMARY KEY, status TEXT NOT NULL, axis_values TEXT NOT NULL,"
            " metrics TEXT NOT NULL, currency TEXT NOT NULL, limit_kind TEXT NOT NULL, limit_resource TEXT NOT NULL,"
            " limit_share REAL NOT NULL, problems TEXT NOT NULL)");
    db_.run(view());
    Statement insert(db_, "INSERT INTO study VALUES ('name', ?1), ('identity', ?2)");
    insert.bind(1, study_.name);
    insert.bind(2, study_.text);
    insert.step();
  }

  // A column for each moved key and metric.
  std::string view() const {
    std::string sql = "CREATE VIEW results AS SELECT point, status";
    int place = 0;
    for (const StudyAxis& axis : study_.axes)
      for (const std::string& pointer : axis.pointers)
        sql += ", json_extract(axis_values, '$[" + std::to_string(place++) + "]') AS " + identifier(pointer);
    for (const std::string& metric : study_.metrics)
      sql += ", json_extract(metrics, '$." + metric + "') AS " + identifier(metric);
    return sql + ", currency, limit_kind, limit_resource, limit_share, problems FROM points";
  }

  void check() const {
    if (pragma(db_, "application_id") != application_id)
      refuse(db_.path(), "a study's database", "an SQLite database of another program", "name another file with --db");
    if (pragma(db_, "user_version") != format_version)
      refuse(db_.path(), "a study's database of format " + std::to_string(format_version),
             "format " + std::to_string(pragma(db_, "user_version")), "name another file with --db");
    Statement select(db_, "SELECT value FROM study WHERE key = 'identity'");
    const bool found = select.step();
    if (!found || select.text(0) != study_.text)
      refuse(db_.path(), "the database of this study",
             "one that was begun with another base, other axes, another catalog or another version",
             "remove it, or name another file with --db");
  }

  // What each moved key was; null where the base's value stood.
  std::string axis_values_json(std::size_t point) const {
    const std::vector<std::size_t> values = values_at(point);
    std::string text = "[";
    for (std::size_t a = 0; a < study_.axes.size(); ++a)
      for (const std::string& json : study_.axes[a].values[values[a]])
        text += (text.size() > 1 ? "," : "") + (json.empty() ? "null" : json);
    return text + "]";
  }

  std::vector<std::size_t> values_at(std::size_t point) const {
    Sweep sweep;
    sweep.axes = study_.axes;
    sweep.grid = study_.grid;
    return sweep.values_at(point);
  }

  SweepRow row_of(const Statement& select) const {
    SweepRow row;
    row.point = static_cast<std::size_t>(select.integer(0));
    const std::string status = select.text(1);
    bool sound = true;
    if (status == "done")
      row.status = SweepRow::Status::done;
    else if (status == "invalid")
      row.status = SweepRow::Status::invalid;
    else if (status == "failed")
      row.status = SweepRow::Status::failed;
    else
      sound = false;
    try {
      const Json metrics = Json::parse(select.text(2)), problems = Json::parse(select.text(7));
      for (const auto& [name, value] : metrics.items()) row.metrics.emplace_back(name, value);
      for (const auto& p : problems)
        row.problems.push_back({p.at("file"), p.at("pointer"), p.at("expected"), p.at("got"), p.at("hint")});
    } catch (const Json::exception&) {
      sound = false;
    }
    if (!sound)
      refuse(db_.path(), "rows as the study wrote them", "point " + std::to_string(row.point) + " is damaged",
             "remove the file, or name another one with --db");
    row.currency = select.text(3);
    row.limit_kind = select.text(4);
    row.limit_resource = select.text(5);
    row.limit_share = select.number(6);
    return row;
  }

  Database db_;
  StudyIdentity study_;
};

}  // namespace

bool has_sweep_store() { return true; }

std::unique_ptr<SweepStore> open_sweep_store(const std::string& path, const StudyIdentity& study) {
  return std::make_unique<SqliteStore>(path, study);
}

}  // namespace clustersim
