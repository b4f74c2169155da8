import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import { readStorage, type StorageDeps } from './read-storage';

/** The folder of the archive is there once its first hour is. */
const EVERY_MS = 60_000;

/**
 * Keeps the forecast of the disk in the metrics: `storage_days_left`, +Inf where it is never full, `storage_disk_free_bytes` and
 * `storage_bytes_a_day`. Those of the disk are absent where nothing is known of it.
 */
export function watchStorage(deps: StorageDeps, metrics: Metrics, logger: Logger): Closable {
  const registers = [metrics.registry];
  const days = new Gauge({
    name: 'storage_days_left',
    help: 'Days until the disk of the archive is full if writing goes on as in the last day; +Inf: never.',
    registers,
  });
  const free = new Gauge({ name: 'storage_disk_free_bytes', help: 'Free bytes of the disk that the archive is on.', registers });
  const written = new Gauge({ name: 'storage_bytes_a_day', help: 'Bytes written in a day, rows and files.', registers });
  for (const gauge of [days, free, written]) gauge.remove();

  async function look(): Promise<void> {
    const { bytesADay, freeBytes, daysLeft } = await readStorage(deps);
    written.set(bytesADay);
    if (freeBytes === undefined) return;
    free.set(freeBytes);
    days.set(daysLeft ?? Number.POSITIVE_INFINITY);
  }

  return repeatUntilClosed(look, {
    intervalMs: EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'the forecast of the disk cannot be made; it is tried again'),
  });
}
