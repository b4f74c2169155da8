import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { connectionOf } from './database.mjs';

const charOid = 18;
const textOid = 25;

/** Short, because other sessions queue behind a waiting script. */
export const lockWaitMs = 3_000;
/** Maximum wait that blocks no other session. */
export const waitForOtherMs = 600_000;

/**
 * @param url Postgres URL; optional for work without a database, such as a diff from empty
 * @param datamodels pairs of schema file name and content
 */
export async function openEngine(url, datamodels, onPanic) {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: onPanic };
  const { SchemaEngine } = await (wasm ??= loadWasm());
  const connection = connectionOf(url ?? 'postgresql://localhost/postgres');
  await (adapterCorrected ??= correctAdapter(connection));
  const adapters = new Adapter(connection, quiet);
  const factory = bindMigrationAwareSqlAdapterFactory(adapters);
  const engine = await SchemaEngine.new({ datamodels: datamodels.length > 0 ? datamodels : undefined }, () => undefined, factory);
  return { engine, close: () => adapters.close() };
}

let wasm;
let adapterCorrected;
const quiet = { onPoolError: () => undefined };

async function loadWasm() {
  const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const glue = await import(pathToFileURL(join(folder, 'schema_engine_bg.js')).href);
  const module = new WebAssembly.Module(readFileSync(join(folder, 'schema_engine_bg.wasm')));
  const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue;
}

class Adapter extends PrismaPg {
  #opened = [];

  async connect() {
    const adapter = await super.connect();
    this.#opened.push(adapter);
    return adapter;
  }

  async close() {
    await Promise.all(this.#opened.splice(0).map((adapter) => adapter.dispose()));
  }

  async connectToShadowDb() {
    const adapter = await super.connectToShadowDb();
    // Dropping the shadow database by force breaks this connection; without a listener that would end the process.
    adapter.client.on('error', () => undefined);
    return adapter;
  }
}

/**
 * Patches the stock adapter's prototypes: support for the one-byte "char" type; unsplit scripts with a short lock
 * timeout; and dropping shadow databases with open connections.
 */
async function correctAdapter(connection) {
  const probe = await new Adapter(connection, quiet).connect();
  const queries = ownerOf(probe, 'queryRaw');
  const { queryRaw, performIO } = queries;
  queries.queryRaw = async function queryRawWithChar(query) {
    let charColumns = [];
    const performIOAsText = async (sent) => {
      const result = await performIO.call(this, sent);
      charColumns = result.fields.map((field) => field.dataTypeID === charOid);
      const fields = result.fields.map((field, at) => (charColumns[at] ? { name: field.name, dataTypeID: textOid } : field));
      return { ...result, fields };
    };
    const rows = await queryRaw.call(Object.create(this, { performIO: { value: performIOAsText } }), query);
    const columnTypes = rows.columnTypes.map((type, at) => (charColumns[at] ? ColumnTypeEnum.Character : type));
    return { ...rows, columnTypes };
  };
  ownerOf(probe, 'executeScript').executeScript = async function executeWholeScript(sql) {
    const session = await this.client.connect();
    let error;
    try {
      await session.query(`SET lock_timeout = ${lockWaitMsOf(sql)}`);
      await session.query(/^DROP DATABASE "[^"]+"$/.test(sql) ? `${sql} WITH (FORCE)` : sql);
    } catch (thrown) {
      error = thrown;
    }
    // This session may hold the engine's lock, which ends with it.
    await session.query('RESET lock_timeout').then(
      () => session.release(),
      (broken) => session.release(broken),
    );
    if (error !== undefined) this.onError(error);
  };
  await probe.dispose();
}

/** PostgreSQL accepts such a statement only alone. */
export function runsConcurrently(sql) {
  const statement = sql.replace(/--.*$/gm, '').trim();
  return /^(CREATE\s+(UNIQUE\s+)?|DROP\s+)INDEX\s+CONCURRENTLY\b/i.test(statement);
}

function lockWaitMsOf(sql) {
  return runsConcurrently(sql) ? waitForOtherMs : lockWaitMs;
}

function ownerOf(object, method) {
  let owner = object;
  while (!Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner);
  return owner;
}
