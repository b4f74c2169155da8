import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const BOOK = '/api/public/data/book/l2/latest';
const LOGIN = '/api/public/market-state/account/auth/login';
const ESTIMATE = '/api/public/market-state/usage/estimate';
const EVIDENCE = '/api/public/market-state/events/{event_id}/evidence';

describe('the validator of each route', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  const logIn = (type: string) =>
    booted.get(LOGIN, {
      method: 'POST',
      body: JSON.stringify({ email: 1, password: 'x' }),
      headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
    });

  /** Sends a raw request target. */
  async function place(target: string): Promise<unknown> {
    const headers = { 'x-market-state-api-key': booted.key };
    const sent = request({ host: '127.0.0.1', port: booted.gateway.port, path: target, headers, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
    return [answer.statusCode, (JSON.parse(text) as { detail?: { loc: unknown }[] }).detail?.[0]?.loc];
  }

  it('finds the route of a target that is absolute, or has a fragment', async () => {
    const fault = [422, ['query', 'depth']];
    expect(await place(`${BOOK}?depth=0`)).toEqual(fault);
    expect(await place(`http://127.0.0.1:${booted.gateway.port}${BOOK}?depth=0`)).toEqual(fault);
    expect(await place(`${BOOK}#part?depth=0`)).toEqual(fault);
    expect(await place(`${BOOK}?depth=0#part`)).toEqual(fault);
    expect(await place(`http://127.0.0.1${BOOK}`)).toEqual([200, undefined]);
    expect(await place(`${BOOK}#part`)).toEqual([200, undefined]);
  });

  it('takes HEAD as it takes GET', async () => {
    for (const query of ['', '?depth=5', '?depth=0', '?symbol=x&foo=1']) {
      const [got, head] = await Promise.all([booted.keyed(BOOK + query), booted.keyed(BOOK + query, { method: 'HEAD' })]);
      expect([head.status, head.headers['content-type'], head.text]).toEqual([got.status, got.headers['content-type'], '']);
    }
  });

  it('compiles nothing for another media type', async () => {
    expect((await logIn('application/json')).status).toBe(422);
    expect((await booted.keyed(BOOK)).status).toBe(200);
    const compiled = jest.spyOn(Object.getPrototypeOf(Ajv2020.prototype) as Ajv2020, 'compile');
    for (let count = 0; count < 5; count += 1) {
      expect((await logIn(`Application/JSON; a=${count}; charset=utf-8`)).json()).toMatchObject({ detail: [{ loc: ['body', 'email'] }] });
      expect((await booted.keyed(BOOK, { headers: { 'content-type': `text/plain; a=${count}` } })).status).toBe(200);
      expect((await booted.keyed(BOOK, { headers: { 'content-type': 'multipart/form-data' } })).status).toBe(200);
    }
    expect(compiled).not.toHaveBeenCalled();
    compiled.mockRestore();
  });

  it('is asked about the call that an estimate is about', async () => {
    const about = (parameters: string) => booted.keyed(`${ESTIMATE}?route=${EVIDENCE}&${parameters}`);
    const good = await about('event_id=a%2Fb&as_of=');
    expect([good.status, good.json()['parameters']]).toEqual([200, { event_id: 'a/b', as_of: '' }]);
    expect((await about('event_id=&as_of=no&foo=1')).json()).toEqual({
      detail: expect.arrayContaining([
        { loc: ['query', 'event_id'], msg: 'must NOT have fewer than 1 characters', type: 'minLength' },
        { loc: ['query', 'as_of'], msg: expect.any(String), type: 'format' },
        { loc: ['query', 'foo'], msg: 'is not a parameter of this route', type: 'unknown_parameter' },
      ]),
      fault_total: 3,
    });
    expect((await about('as_of=')).json()).toMatchObject({ detail: [{ loc: ['query', 'event_id'], type: 'required' }] });
  });
});
