import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { responseCheck } from '../../src/caches/latest/latest-cache';
import type { BootedGateway } from './boot';
import { SIMULATED_SYMBOL } from './data-plane';
import { runBash, runDuckdb, runPython, type SnippetFolder } from './run-snippet';

export interface ConnectorSpec {
  readonly channel: string;
  readonly reported: boolean;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly prepare: string | null;
  readonly language: 'bash' | 'python' | 'sql';
  readonly snippet: string;
  readonly output: string | null;
  readonly covers_start_utc: string | null;
  readonly covers_end_utc: string | null;
  readonly remark: string | null;
}

export const ROW_CHANNELS = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'];

/** Runs connector output. */
export interface ConnectorRuns {
  specs(connectorId: string, query: string): Promise<ConnectorSpec[]>;
  /** Output lines of each spec, run as given. */
  runAll(connectorId: string, all: readonly ConnectorSpec[]): Promise<Record<string, unknown>[][]>;
  /** Runs every spec of a connector and expects rows of every channel; returns their counts. */
  expectRows(connectorId: string, query: string): Promise<Readonly<Record<string, number>>>;
}

export function connectorRuns(booted: BootedGateway, place: SnippetFolder): ConnectorRuns {
  async function specs(connectorId: string, query: string): Promise<ConnectorSpec[]> {
    const response = await booted.keyed(`/api/public/data/connectors/${connectorId}/query-spec?symbol=${SIMULATED_SYMBOL}&${query}`);
    expect(response.status).toBe(200);
    expect(responseCheck('ConnectorQuerySpec')(response.json())).toBeNull();
    return response.json<{ specs: ConnectorSpec[] }>().specs;
  }

  /** One folder per connector, since two may write a file of the same name. */
  const placeOf = (connectorId: string): SnippetFolder => ({ ...place, folder: join(place.folder, connectorId) });

  async function runAll(connectorId: string, all: readonly ConnectorSpec[]): Promise<Record<string, unknown>[][]> {
    const own = placeOf(connectorId);
    await mkdir(own.folder, { recursive: true });
    const prepare = all.flatMap((spec) => spec.prepare ?? []);
    if (prepare.length > 0) await runBash(own, prepare);
    const snippets = all.map(({ snippet }) => snippet);
    const outputs = all.flatMap(({ output }) => output ?? []);
    switch (all[0]?.language) {
      case 'sql': {
        const reads = outputs.map((output) => `SELECT * FROM read_parquet('${output}')`);
        return (await runDuckdb(own, [...snippets, ...reads])).slice(reads.length);
      }
      case 'python': {
        const printed = await runPython(own, snippets);
        const texts = outputs.length === 0 ? printed : await Promise.all(outputs.map((file) => readFile(join(own.folder, file), 'utf8')));
        return texts.map((text) => {
          const lines = text.split(/\r?\n/).filter((line) => line !== '');
          if (outputs.length === 0) return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
          const [header = '', ...rows] = lines;
          return rows.map((row) => ({ [header]: row }));
        });
      }
      default:
        return (await runBash(own, snippets)).map((text) => {
          const body = JSON.parse(text) as Record<string, unknown>;
          return (body['rows'] ?? body['bids'] ?? [body]) as Record<string, unknown>[];
        });
    }
  }

  async function expectRows(connectorId: string, query: string): Promise<Readonly<Record<string, number>>> {
    const all = await specs(connectorId, query);
    expect(all.map(({ channel }) => channel)).toEqual(['book', 'trades', 'candles', 'context', 'liquidations', 'control', 'packets']);
    const lines = await runAll(connectorId, all);
    const totals = Object.fromEntries(all.map(({ channel }, index) => [channel, lines[index]?.length ?? 0]));
    for (const channel of [...ROW_CHANNELS, 'candles']) expect([channel, (totals[channel] ?? 0) > 0]).toEqual([channel, true]);
    return totals;
  }

  return { specs, runAll, expectRows };
}
