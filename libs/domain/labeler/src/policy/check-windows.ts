import type { Report } from './fault';
import type { PolicyNumbers } from './numbers';

/**
 * Windows hold whole packet intervals, no minimum asks for more than its window holds, and nothing looks back further than is remembered.
 */
export function checkWindows(numbers: PolicyNumbers, report: Report): void {
  const { windows, minimums, calibration, confidence, severity, session_state: sessionState, lanes } = numbers;
  checkMultiples(numbers, report);
  const atMost = (place: string, value: number, bound: number, boundName: string) => {
    if (value > bound) report(place, `(${value}) is above ${boundName} (${bound})`);
  };
  atMost('/minimums/trade_sizes', minimums.trade_sizes, windows.trade_size_total, 'windows.trade_size_total');
  atMost('/minimums/session_medians', minimums.session_medians, windows.session_packets, 'windows.session_packets');
  atMost('/minimums/returns', minimums.returns, windows.short_return_total, 'windows.short_return_total');
  atMost(
    '/minimums/crowding_share_packets',
    minimums.crowding_share_packets,
    windows.crowding_mean_packets,
    'windows.crowding_mean_packets',
  );
  atMost('/calibration/sample_minimum', calibration.sample_minimum, windows.session_packets, 'windows.session_packets');
  atMost('/confidence/sample_full', confidence.sample_full, windows.session_packets, 'windows.session_packets');
  atMost('/windows/short_return_total', windows.short_return_total, windows.session_return_total, 'windows.session_return_total');
  atMost('/windows/trade_ms', windows.trade_ms, windows.notional_ms, 'windows.notional_ms, for which trades are kept');
  atMost('/windows/state_ms', windows.state_ms, windows.notional_ms, 'windows.notional_ms, for which trades are kept');
  atMost('/windows/packet_interval_ms', windows.packet_interval_ms, windows.state_ms, 'windows.state_ms');
  atMost('/windows/book_ms', windows.book_ms, windows.state_ms, 'windows.state_ms, for which books are kept');
  atMost('/minimums/held_ms', minimums.held_ms, windows.state_ms, 'windows.state_ms');
  atMost('/session_state/minimum_packets', sessionState.minimum_packets, sessionState.packets, 'session_state.packets');
  atMost('/severity/sample_minimum', severity.sample_minimum, windows.session_packets, 'windows.session_packets');
  const history = Math.max(windows.session_packets, lanes.session_packets);
  for (const name of ['price_move_packets', 'vote_packets', 'crowding_mean_packets', 'trailing_packets'] as const) {
    atMost(`/windows/${name}`, windows[name], history, 'the packets remembered');
  }
  atMost('/lanes/short_window_packets', lanes.short_window_packets, history, 'the packets remembered');
  atMost('/session_state/packets', sessionState.packets, history, 'the packets remembered');
  atMost('/lanes/event_packets', lanes.event_packets, history, 'the packets remembered');
  atMost('/lanes/session_full_packets', lanes.session_full_packets, lanes.session_packets, 'lanes.session_packets');
  const historyPackets = (lanes.history_blocks * lanes.history_every_ms) / windows.packet_interval_ms;
  atMost('/lanes/history_full_packets', lanes.history_full_packets, historyPackets, 'the packets of all history blocks');
}

function checkMultiples({ windows, calibration, severity, lanes }: PolicyNumbers, report: Report): void {
  const { packet_interval_ms: intervalMs } = windows;
  const lengths = { windows, lanes, calibration: { refresh_ms: calibration.refresh_ms }, severity: { refresh_ms: severity.refresh_ms } };
  for (const [section, values] of Object.entries(lengths)) {
    for (const [name, value] of Object.entries(values)) {
      if (!name.endsWith('_ms') || value % intervalMs === 0) continue;
      report(`/${section}/${name}`, `(${value}) is not a multiple of windows.packet_interval_ms (${intervalMs})`);
    }
  }
}
