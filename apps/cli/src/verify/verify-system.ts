import type { CliIo } from '../io/cli-io';
import { withSystemSources } from './system-sources';
import type { Keys, VerifyEach } from './verify-each';
import type { VerifySettings } from './verify-settings';

/** Verifies what a running system keeps. Signatures are checked with its own registry of keys, unless a key was given. */
export async function verifySystem(settings: VerifySettings, io: CliIo, given: Keys, verify: VerifyEach): Promise<void> {
  await withSystemSources(settings, io, async (sources) => {
    const keys = given.size > 0 ? given : await sources.keys();
    for await (const source of sources.symbols) await verify(source, keys);
  });
}
