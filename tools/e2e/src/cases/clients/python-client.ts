import { findPython, runPython } from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

const MODULES = ['httpx', 'pandas', 'pytest', 'cryptography'];
/** An hour of two recorded markets, and the simulated one since the start. `npm run verify -- python` checks 1,000. */
const PACKETS_MIN = '750';

/** The Python client against the system. Counted as skipped, with what is missing, where this machine has no Python with its libraries. */
export function describePythonClient(started: () => DefaultSystem): void {
  const python = findPython(MODULES);
  const why = python === null ? `: skipped, there is no Python with ${MODULES.join(', ')} (Debian: python3-…)` : '';
  const whereThereIsPython = python === null ? it.skip : it;
  whereThereIsPython(`passes its tests of a running service${why}`, async () => {
    const { system, key } = started();
    const env = { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: key, PACKETS_MIN };
    const { code, output } = await runPython(python ?? '', ['-m', 'pytest', 'tests/test_live.py'], env);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^\d+ passed in /m) as string });
  });
}
