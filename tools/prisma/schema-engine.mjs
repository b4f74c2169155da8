#!/usr/bin/env node
/**
 * Replaces the native schema engine of Prisma's CLI by its WebAssembly build, with the same JSON-RPC on stdio, so that
 * migrations need no binary download. Found through PRISMA_SCHEMA_ENGINE_BINARY.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { canConnect, createDatabase, errorCodeOf } from './database.mjs';
import { openEngine } from './engine.mjs';

const asked = readArguments(process.argv.slice(2));
if (asked.version) {
  process.stdout.write('schema-engine-cli wasm\n');
} else if (asked.command !== undefined) {
  await runCommand(asked.command);
} else {
  serve();
}

function readArguments(list) {
  const asked = { version: list[0] === '--version', command: undefined, datasource: {}, datamodels: [] };
  for (let at = 0; at < list.length; at += 1) {
    if (list[at] === '--datasource') asked.datasource = JSON.parse(list[(at += 1)]);
    else if (list[at] === '--datamodels') asked.datamodels.push([list[(at += 1)], readFileSync(list[at], 'utf8')]);
    else if (list[at] === 'cli') asked.command = list[(at += 1)];
    else if (list[at].startsWith('--')) at += 1;
  }
  return asked;
}

function log(level, fields) {
  const line = { timestamp: new Date().toISOString(), level, fields, target: 'schema_engine::logger' };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

/** A failure is one line on stderr. */
async function runCommand(command) {
  log('INFO', { message: 'start' }); // The CLI drops the first line of stderr.
  try {
    if (command === 'create-database') await createDatabase(asked.datasource.url);
    else if (command === 'can-connect-to-database') await canConnect(asked.datasource.url);
    else throw new Error(`unsupported command ${command}`);
    process.exit(0);
  } catch (error) {
    log('ERROR', { error_code: errorCodeOf(error), message: error.message || String(error.code), is_panic: false });
    process.exit(1);
  }
}

function serve() {
  let pending = 0;
  let closed = false;
  let printed = 0;
  let opened;

  // The CLI treats an early exit with 0 as success, so a crash must exit differently.
  process.on('uncaughtException', (error) => {
    log('ERROR', { message: error.message, is_panic: true });
    process.exit(101);
  });

  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const engineOf = () =>
    (opened ??= openEngine(asked.datasource.url, asked.datamodels, (message) => log('ERROR', { message, is_panic: true })));

  async function call(method, params) {
    if (method === 'createDatabase') return createDatabase(asked.datasource.url);
    const { engine } = await engineOf();
    if (method === 'getDatabaseVersion') return engine.version(params);
    const result = await engine[method](params);
    if (method === 'diff' && typeof result?.stdout === 'string') {
      printed += 1;
      send({ id: 900_000 + printed, method: 'print', params: { content: result.stdout } });
    }
    return result ?? {};
  }

  const lines = createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    const message = line.trim() === '' ? {} : JSON.parse(line);
    if (message.method === undefined) return;
    pending += 1;
    try {
      send({ id: message.id, result: await call(message.method, message.params) });
    } catch (error) {
      const fault = error ?? {};
      const data = {
        is_panic: false,
        message: fault.message ?? String(error),
        error_code: fault.code ?? fault.error_code,
        meta: fault.meta ?? null,
      };
      send({ id: message.id, error: { code: 4466, message: 'An error happened. Check the data field for details.', data } });
    } finally {
      pending -= 1;
      if (pending === 0 && closed) process.exit(0);
    }
  });
  lines.on('close', () => {
    closed = true;
    if (pending === 0) process.exit(0);
  });
}
