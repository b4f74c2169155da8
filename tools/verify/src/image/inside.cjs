/**
 * Run by the Node of an image, in the bubble, with a list of what the app loads: says as JSON who it is, what it may write, and whether
 * each of those works.
 */
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');

const loadOwn = createRequire('/app/dist/');

/** Work that shows that a package with native code or many parts is whole. */
const works = {
  async '@node-rs/argon2'() {
    const { hash, verify } = loadOwn('@node-rs/argon2');
    return verify(await hash('a word'), 'a word');
  },
  async '@duckdb/node-api'() {
    const { DuckDBInstance } = loadOwn('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run("COPY (SELECT 42 AS answer) TO '/tmp/rows.parquet' (FORMAT parquet)");
    const read = await connection.runAndReadAll("SELECT answer FROM '/tmp/rows.parquet'");
    return read.getRows()[0][0] === 42;
  },
  async 'lz4-napi'() {
    const { compressFrame, decompressFrame } = loadOwn('lz4-napi');
    return (await decompressFrame(await compressFrame(Buffer.from('a word')))).toString() === 'a word';
  },
  async '@aws-sdk/client-s3'() {
    const { S3Client } = loadOwn('@aws-sdk/client-s3');
    return typeof new S3Client({ region: 'none' }).send === 'function';
  },
};

function codeOfWrite(path) {
  try {
    writeFileSync(path, '');
    return 'written';
  } catch (error) {
    return error.code;
  }
}

async function look(loads) {
  const loaded = {};
  for (const name of loads) loaded[name] = name in works ? await works[name]() : existsSync(loadOwn.resolve(name));
  return {
    uid: process.getuid(),
    gid: process.getgid(),
    capabilities: /CapEff:\s*(\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1],
    shells: ['/bin/sh', '/bin/bash', '/bin/busybox', '/usr/bin/sh', '/usr/bin/apt', '/usr/bin/dpkg'].filter(existsSync),
    writes: Object.fromEntries(['/app/new', '/app/dist/new', '/etc/new', '/new', '/tmp/new'].map((path) => [path, codeOfWrite(path)])),
    loaded,
  };
}

look(JSON.parse(process.argv[1])).then(
  (found) => console.log(JSON.stringify(found)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
