import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { connectorRuns } from './stand-in/connector-runs';
import type { SnippetFolder } from './stand-in/run-snippet';

let booted: BootedGateway;
let place: SnippetFolder;
beforeAll(async () => {
  booted = await bootGateway();
  place = { folder: await mkdtemp(join(tmpdir(), 'market-state-snippets-')), key: booted.key };
});
afterAll(async () => {
  await booted.close();
  await rm(place.folder, { recursive: true });
});

it.each(['rest', 'csv', 'parquet'])('a query spec of %s runs as given and gives the newest rows of every channel', async (connectorId) => {
  await connectorRuns(booted, place).expectRows(connectorId, 'depth=2&limit=3');
});
