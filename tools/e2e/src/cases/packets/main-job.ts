import { createHash } from 'node:crypto';
import { waitUntil } from '@market-state/testing';
import { type Api, keyHeader } from '../../system/api';
import { latestResponse } from './contract/packet';
import { faultsOf } from './contract/envelope';
import type { ReadySystem } from '../../system/default-system';

const latest = '/api/public/market-state/latest';
const data = '/api/public/data';

let api: Api;
let key: string;

interface LatestBody {
  readonly packet_serving_state: string;
  readonly rows: readonly Record<string, unknown>[];
  readonly meta: { readonly response_semantics: Readonly<Record<string, unknown>> };
}

async function readLatest(query = ''): Promise<LatestBody> {
  const answer = await api.getWithKey(`${latest}${query}`);
  expect(answer.status).toBe(200);
  return answer.body as unknown as LatestBody;
}

/** Six base62 digits of the CRC32 as in the key format, independent of the product's code. */
function checksumOf(text: string): string {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  let value = (crc ^ 0xffff_ffff) >>> 0;
  let digits = '';
  for (let digit = 0; digit < 6; digit += 1) {
    digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** A new customer's first calls: the newest packet, rows, and mistakes. */
export function describeMainJob(started: () => ReadySystem): void {
  beforeAll(() => {
    ({ api, key } = started());
  });

  describe('latest', () => {
    it('has every field of the contract with its type', async () => {
      const body = await readLatest('?symbol=ALL');
      expect(body.rows.map((row) => row['symbol'])).toEqual(['BTCUSD-PERP', 'ETHUSD-PERP', 'SIMUSD-PERP']);
      expect(faultsOf('response', latestResponse, body)).toEqual([]);
    });

    it('says that it replays a recording, never that it is live', async () => {
      const { meta } = await readLatest();
      expect(meta.response_semantics).toMatchObject({
        contract_id: 'public_response_semantics.v1',
        response_state: 'recorded_replay',
        auth_state: 'api_key',
        live_current: false,
        requires_api_key: true,
        metered: true,
      });
    });

    it("advances: a later packet continues the previous one's chain", async () => {
      const first = (await readLatest()).rows[0]?.['packet'] as Record<string, unknown>;
      const second = await waitUntil('a later packet', async () => {
        const packet = (await readLatest()).rows[0]?.['packet'] as Record<string, unknown>;
        return packet['packet_id'] !== first['packet_id'] && packet;
      });
      expect(Date.parse(String(second['ts']))).toBeGreaterThan(Date.parse(String(first['ts'])));
      expect(Date.parse(String(second['ts'])) % 10_000).toBe(0);
    });

    it('answers 304 to its own ETag', async () => {
      await waitUntil('one packet held over two reads', async () => {
        const answer = await api.getWithKey(latest);
        const again = await api.get(latest, { [keyHeader]: key, 'if-none-match': String(answer.headers.get('etag')) });
        return again.status === 304 && again.text === '';
      });
    });
  });

  describe('rows', () => {
    it('serves a book with real depth, best first and never crossed', async () => {
      // If the feed does not answer in time, the book comes from the rows, with 25 levels.
      const { bids, asks } = await waitUntil('a book of the feed', async () => {
        const { status, body } = await api.getWithKey(`${data}/book/l2/latest?depth=1000`);
        expect(status).toBe(200);
        const sides = body as unknown as Record<'bids' | 'asks', { price: string; size: string }[]>;
        return sides.bids.length > 200 && sides.asks.length > 200 && sides;
      });
      expect(Number(bids[0]?.price)).toBeLessThan(Number(asks[0]?.price));
      expect(bids.map(({ price }) => Number(price))).toEqual(bids.map(({ price }) => Number(price)).sort((a, b) => b - a));
      expect(asks.map(({ price }) => Number(price))).toEqual(asks.map(({ price }) => Number(price)).sort((a, b) => a - b));
    });

    it('serves trades newest first, each once', async () => {
      const { body } = await api.getWithKey(`${data}/trades/latest?symbol=SIMUSD-PERP&limit=200`);
      const rows = body['rows'] as { venue_id: string; exchange_time_utc: string }[];
      expect(rows.length).toBe(body['row_total']);
      expect(new Set(rows.map(({ venue_id }) => venue_id)).size).toBe(rows.length);
      expect(rows.map((row) => row.exchange_time_utc)).toEqual(
        rows
          .map((row) => row.exchange_time_utc)
          .sort()
          .reverse(),
      );
    });

    it("serves one-minute candles whose trades are the recording's", async () => {
      const candles = await waitUntil('a complete candle', async () => {
        const { body } = await api.getWithKey(`${data}/candles?tf=1m`);
        const complete = (body['rows'] as { complete: boolean }[]).filter((row) => row.complete);
        return complete.length >= 2 && complete;
      });
      expect(candles.length).toBeGreaterThanOrEqual(2);
    });

    it("reports each channel's freshness, and funding as missing, not zero", async () => {
      const { body } = await api.getWithKey(`${data}/status/freshness`);
      const channels = body['channels'] as { channel: string; state: string; last_exchange_time_utc: string | null }[];
      expect(channels.find(({ channel }) => channel === 'book')?.state).toBe('fresh');
      expect(channels.find(({ channel }) => channel === 'context')).toMatchObject({ state: 'missing', last_exchange_time_utc: null });
    });

    it('names every component the data plane needs, all healthy', async () => {
      const { status, text } = await api.getWithKey(`${data}/health`);
      expect(status).toBe(200);
      for (const part of ['feed', 'recorder', 'postgres', 'event_log']) expect(text).toContain(part);
    });
  });

  describe('refusals', () => {
    it('gives the same 401 to no key, a bad checksum and an unknown key', async () => {
      const unknown = `msk_live_${'A'.repeat(40)}${checksumOf(`msk_live_${'A'.repeat(40)}`)}`;
      const answers = await Promise.all([
        api.get(latest),
        api.get(latest, { [keyHeader]: `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` }),
        api.get(latest, { [keyHeader]: unknown }),
      ]);
      const shapes = answers.map(({ status, body, headers }) => ({
        status,
        challenge: headers.get('www-authenticate'),
        ...{ ...body, request_id: undefined },
      }));
      expect(shapes[0]).toMatchObject({ status: 401 });
      expect(shapes[1]).toEqual(shapes[0]);
      expect(shapes[2]).toEqual(shapes[0]);
    });

    it('names every fault of a request in one 422', async () => {
      const { status, body } = await api.getWithKey(`${data}/candles?symbol=nope&tf=7m&from=yesterday&colour=red`);
      expect(status).toBe(422);
      const at = (body['detail'] as { loc: string[] }[]).map(({ loc }) => loc.join('.')).sort();
      expect(at).toEqual(['query.colour', 'query.from', 'query.symbol', 'query.tf']);
    });

    it('bounds depth at both ends', async () => {
      for (const depth of ['0', '1001', '1.5', 'ten']) {
        const { status, body } = await api.getWithKey(`${data}/book/l2/latest?depth=${depth}`);
        expect([depth, status]).toEqual([depth, 422]);
        expect((body['detail'] as { loc: string[] }[])[0]?.loc).toEqual(['query', 'depth']);
      }
    });

    it('names the served symbols when given an unknown one', async () => {
      for (const path of [latest, `${data}/book/l2/latest`, `${data}/trades/latest`, `${data}/candles`, `${data}/status/freshness`]) {
        const { status, body } = await api.getWithKey(`${path}?symbol=DOGEUSD-PERP`);
        expect([path, status]).toEqual([path, 404]);
        expect(String(body['detail'])).toContain('BTCUSD-PERP');
        expect(String(body['detail'])).toContain('SIMUSD-PERP');
      }
    });

    it('answers broken JSON, an unknown route and a wrong method with the error object', async () => {
      const answers = [
        await api.send('POST', '/api/public/market-state/account/auth/claim', {
          body: '{',
          headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        }),
        await api.get('/api/public/nothing'),
        await api.send('DELETE', latest, { headers: { [keyHeader]: key } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 404, 405]);
      for (const { body, headers } of answers) {
        expect(headers.get('content-type')).toContain('application/problem+json');
        expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'docs', 'request_id', 'status', 'title', 'type']);
      }
      expect(answers[2]?.headers.get('allow')).toContain('GET');
    });
  });

  describe('the packet that is served', () => {
    it('matches the digest next to it', async () => {
      const body = (await api.getWithKey(latest)).body as unknown as {
        packet_refs: { packet_digest: string }[];
        rows: { packet: unknown }[];
      };
      const canonical = JSON.stringify(body.rows[0]?.packet, (_name, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
          : value,
      );
      expect(createHash('sha256').update(canonical).digest('hex')).toBe(body.packet_refs[0]?.packet_digest);
    });
  });
}
