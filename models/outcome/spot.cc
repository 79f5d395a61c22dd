#include "models/outcome/spot.h"

#include <algorithm>
#include <cmath>

#include "clustersim/error.h"

namespace clustersim {

std::optional<SpotRun> spot_run(Frequency interruptions, int instances, Time work, Time checkpoint_interval,
                                Time restart) {
  require(interruptions.base() >= 0 && instances > 0 && work.base() > 0 && restart.base() >= 0,
          "spot instances work, and are taken back now and then");
  SpotRun run;
  run.interval = checkpoint_interval > Time() ? std::min(checkpoint_interval, work) : work;
  run.wall = work;
  if (interruptions.base() == 0) return run;
  run.mtbf = seconds(1 / (interruptions.base() * instances));
  const double whole = std::floor(work / run.interval);
  run.interruptions =
      whole * std::expm1(run.interval / run.mtbf) + std::expm1((work - run.interval * whole) / run.mtbf);
  run.wall = (run.mtbf + restart) * run.interruptions;
  if (!(run.wall < work * 1000)) return std::nullopt;
  run.lost = run.wall - work;
  return run;
}

Frequency interruption_rate(double share_in_a_month) {
  require(share_in_a_month >= 0 && share_in_a_month < 1, "a share below all");
  const Time month = hours(730);
  return Frequency::from_base(-std::log1p(-share_in_a_month) / month.base());
}

}  // namespace clustersim
