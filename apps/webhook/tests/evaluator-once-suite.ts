import type { labeling } from '@market-state/contracts';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import { CursorMoved, evaluatePacket } from '../src/evaluation/evaluate-symbols';
import { createEvaluatorMetrics, type EvaluatorDeps } from '../src/evaluation/evaluator-deps';
import { loadSymbolRules } from '../src/evaluation/symbol-rules';
import { readCursor } from '../src/store/evaluation';
import { createInputDays, inputOf } from '../src/store/inputs';
import { BODY_COLUMNS, WITH_PAYLOAD } from '../src/store/messages';
import { type EvaluatorBench, packetsOf, startBench } from './evaluator-under-test';

const SYMBOL = 'ONCE-PERP';
const TENANTS = ['ten_x', 'ten_y'];

/** Window letters: the state changes about every third packet, with an occasional gap. */
function lettersOf(start: number, total: number): string {
  let state = start;
  return Array.from({ length: total }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return 'TTTTFFFF.T'[(state >>> 16) % 10];
  }).join('');
}

/** Recorded messages and rule states, without random values such as ids. */
async function outcomeOf({ pool }: EvaluatorBench) {
  const { rows: messages } = await pool.query(
    `SELECT message.tenant_id, event_kind, occasion, symbol, ${BODY_COLUMNS},
       (SELECT json_agg(endpoint_id ORDER BY endpoint_id) FROM delivery WHERE delivery.message_id = message.message_id) AS sent
     FROM message ${WITH_PAYLOAD} ORDER BY tenant_id, position`,
  );
  const { rows: standings } = await pool.query('SELECT rule_id, state, recent FROM rule_state ORDER BY rule_id');
  const { rows: inputs } = await pool.query('SELECT sequence, input FROM rule_input ORDER BY sequence');
  return { messages, standings, inputs };
}

/** Registers tests over `packetTotal` packets with states from a seed; with `races`, also one with an uncontrolled race. */
export function testTellingOnce(packets: number, { seed, races }: { readonly seed: number; readonly races: boolean }): void {
  const random = lettersOf(seed, packets);
  /** Packet at which statements fail; its messages exist afterwards. */
  const failing = Math.floor(packets * 0.4);
  const pattern = `F${random.slice(0, failing - 3)}FTF${random.slice(failing, packets - 2)}F`;

  const benches: EvaluatorBench[] = [];
  let unbroken: Awaited<ReturnType<typeof outcomeOf>>;

  /** A database with rules, endpoints and an initialised symbol. */
  async function prepared(): Promise<EvaluatorBench> {
    const bench = await startBench();
    benches.push(bench);
    for (const tenantId of TENANTS) {
      const shared = { tenantId, symbol: SYMBOL };
      await bench.addRule({ ...shared, ruleId: `rul_1_${tenantId}` });
      await bench.addRule({ ...shared, ruleId: `rul_2_${tenantId}`, minConsecutive: 3 });
      await bench.addRule({ ...shared, ruleId: `rul_3_${tenantId}`, kind: 'state_changed', params: {}, cooldownSeconds: 60 });
      const params = { score: 'severity_score', by: 0.01, packets: 5 };
      await bench.addRule({ ...shared, ruleId: `rul_4_${tenantId}`, kind: 'score_change', params });
    }
    await bench.addEndpoint('we_1', 'ten_x', ['packet.created', 'state.changed', 'alert.triggered']);
    await bench.addEndpoint('we_2', 'ten_y', [`state.changed ${SYMBOL}`]);
    const first = await bench.start();
    bench.publish(packetsOf(SYMBOL, 'F'));
    await bench.seen(SYMBOL, 1);
    await first.close();
    bench.nowMs += packets * 10_000;
    return bench;
  }

  const rest = (): labeling.PacketRecord[] => packetsOf(SYMBOL, pattern).slice(1);

  beforeAll(async () => {
    console.info(`seed ${seed}`);
    const bench = await prepared();
    await bench.start();
    bench.publish(rest());
    await bench.seen(SYMBOL, packets);
    unbroken = await outcomeOf(bench);
    const kinds = new Set(unbroken.messages.map(({ event_kind: kind }) => kind as string));
    expect([...kinds].sort()).toEqual(['alert.triggered', 'packet.created', 'state.changed']);
    expect(unbroken.messages.length).toBeGreaterThan(packets);
  });

  afterAll(async () => {
    for (const bench of benches) await bench.close();
  });

  it('sends the same messages when two evaluators run', async () => {
    const bench = await prepared();
    await Promise.all([bench.start(), bench.start()]);
    for (const packet of rest()) bench.publish([packet]);
    await bench.seen(SYMBOL, packets);
    expect(await outcomeOf(bench)).toEqual(unbroken);
  });

  it('sends the same messages when two process each packet without the lock and alternate in being first', async () => {
    const bench = await prepared();
    const sides = await Promise.all([openSide(bench), openSide(bench)]);
    for (const [index, input] of inputsOf(rest()).entries()) {
      const [first, second] = index % 2 === 0 ? sides : [...sides].reverse();
      if (first === undefined || second === undefined) throw new Error('there are two sides');
      const [one, other] = await Promise.all([standingOf(first.deps), standingOf(second.deps)]);
      await evaluatePacket(first.deps, one, input);
      await expect(evaluatePacket(second.deps, other, input)).rejects.toThrow(CursorMoved);
    }
    await Promise.all(sides.map(({ pool }) => pool.end()));
    expect(await outcomeOf(bench)).toEqual(unbroken);
  });

  const raced = async (): Promise<void> => {
    const bench = await prepared();
    const sides = await Promise.all([openSide(bench), openSide(bench)]);
    const moved = await Promise.all(sides.map(({ deps }) => race(deps, rest())));
    expect(Math.max(...moved)).toBeGreaterThan(0);
    await Promise.all(sides.map(({ pool }) => pool.end()));
    expect(await outcomeOf(bench)).toEqual(unbroken);
  };
  if (races) it('sends the same messages when two process each packet concurrently without the lock', raced);

  it('sends the same messages when evaluators come and go', async () => {
    const bench = await prepared();
    bench.publish(rest());
    const stopEvery = packets / 4;
    for (let stop = stopEvery; stop < packets; stop += stopEvery) {
      const evaluator = await bench.start();
      await bench.seen(SYMBOL, stop);
      await evaluator.close();
    }
    await bench.start();
    await bench.seen(SYMBOL, packets);
    expect(await outcomeOf(bench)).toEqual(unbroken);
  });

  it('leaves nothing half done when a statement fails, and continues', async () => {
    const bench = await prepared();
    const owner = createPool({ url: bench.ownerUrl, logger: silentLogger(), applicationName: 'test' });
    // Sequences are not rolled back, so this one counts the failures.
    await owner.query(`
      CREATE SEQUENCE failures;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN
        IF new.occasion LIKE '%_${failing}' AND nextval('failures') <= 2 THEN RAISE EXCEPTION 'as the test wants it'; END IF;
        RETURN new;
      END $$;
      CREATE TRIGGER fail BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION fail();`);
    await bench.start();
    bench.publish(rest());
    const failed = async (): Promise<number> => Number((await owner.query('SELECT last_value FROM failures')).rows[0]?.last_value);
    await waitUntil('a statement failed', async () => (await readCursor(bench.pool, SYMBOL))?.sequence === failing - 1);
    const half = await bench.pool.query('SELECT 1 FROM rule_input WHERE sequence >= $1', [failing]);
    expect(half.rowCount).toBe(0);
    await waitUntil('it failed twice', async () => {
      bench.heartbeat();
      return (await failed()) >= 2;
    });
    bench.heartbeat();
    await bench.seen(SYMBOL, packets);
    await owner.end();
    expect(await outcomeOf(bench)).toEqual(unbroken);
  });
}

/** Connections of an evaluator without its lock. */
async function openSide({ pool: shared, nowMs }: EvaluatorBench): Promise<{ pool: Pool; deps: EvaluatorDeps }> {
  const url = shared.options.connectionString;
  const pool = createPool({ url: url ?? '', logger: silentLogger(), applicationName: 'side' });
  const notifier = { notify: async () => undefined, close: async () => undefined };
  const metrics = createEvaluatorMetrics(new Registry());
  const inputDays = createInputDays(pool, () => nowMs);
  return { pool, deps: { pool, inputDays, notifier, metrics, clock: () => nowMs, logger: silentLogger() } as unknown as EvaluatorDeps };
}

/** Packet fields that rules read. */
const inputsOf = (packets: readonly labeling.PacketRecord[]) => packets.map(inputOf);

/** Rules of the symbol with their states. */
async function standingOf(deps: EvaluatorDeps) {
  const cursor = await readCursor(deps.pool, SYMBOL);
  if (cursor === undefined) throw new Error('the symbol is not initialised');
  return loadSymbolRules(deps.pool, SYMBOL, 'none yet', cursor);
}

/** Processes all packets. @returns number of times the other side was first */
async function race(deps: EvaluatorDeps, packets: readonly labeling.PacketRecord[]): Promise<number> {
  let moved = 0;
  let held = await standingOf(deps);
  for (const input of inputsOf(packets)) {
    try {
      held = await evaluatePacket(deps, held, input);
    } catch (error) {
      if (!(error instanceof CursorMoved)) throw error;
      moved += 1;
      held = await standingOf(deps);
    }
  }
  return moved;
}
