import { createMessage, webhook } from '@market-state/contracts';
import { startWatchUnderTest, TENANT, type WatchUnderTest } from './watch-under-test';

const QUERY = { symbol: 'BTCUSD-PERP', tag: ['pressure:bid_elevated:short'], limit: 25 };

let test: WatchUnderTest;
let made = 0;

beforeAll(async () => {
  test = await startWatchUnderTest();
});

afterAll(() => test?.close());

async function create(request: Partial<webhook.CreateSavedSearchRequest> = {}): Promise<webhook.SavedSearch> {
  made += 1;
  const base = { tenantId: TENANT, planId: 'public_research', operationId: `op_${made}`, name: `search ${made}`, query: QUERY };
  const { savedSearch } = await test.searches.createSavedSearch({ ...base, ...request });
  return savedSearch ?? createMessage(webhook.SavedSearch);
}

it('keeps a search as it was given, changes what is sent, and deletes it', async () => {
  const search = await create();
  const key = { tenantId: TENANT, savedSearchId: search.savedSearchId };
  expect(search.savedSearchId).toMatch(/^ss_/);
  expect((await test.searches.getSavedSearch(key)).savedSearch).toEqual({ ...search, query: QUERY });
  const renamed = await test.searches.updateSavedSearch({ ...key, name: 'other' });
  expect(renamed.savedSearch).toMatchObject({ name: 'other', query: QUERY });
  const changed = await test.searches.updateSavedSearch({ ...key, query: { state: 'depth_watch' } });
  expect(changed.savedSearch).toMatchObject({ name: 'other', query: { state: 'depth_watch' }, createdMs: search.createdMs });
  expect((await test.searches.deleteSavedSearch(key)).savedSearch).toEqual(changed.savedSearch);
  await expect(test.searches.getSavedSearch(key)).rejects.toMatchObject({ reason: 'unknown_saved_search' });
  await expect(test.searches.deleteSavedSearch(key)).rejects.toMatchObject({ reason: 'unknown_saved_search' });
});

it('makes one of twenty equal calls, and as many as the plan allows of different ones', async () => {
  const tenantId = 'ten_crowd';
  const equal = await Promise.all(Array.from({ length: 20 }, () => create({ tenantId, operationId: 'op_equal', name: 'one' })));
  expect(new Set(equal.map(({ savedSearchId }) => savedSearchId)).size).toBe(1);
  const planId = 'public_builder';
  const others = await Promise.allSettled(Array.from({ length: 60 }, () => create({ tenantId, planId })));
  expect(others.filter(({ status }) => status === 'fulfilled')).toHaveLength(49);
  await expect(create({ tenantId, planId })).rejects.toMatchObject({ reason: 'too_many_saved_searches', metadata: { limit: '50' } });
});

it('two tenants that use the same operation id keep a search each', async () => {
  const operationId = 'op_shared';
  const [first, second] = [await create({ operationId }), await create({ tenantId: 'ten_second', operationId })];
  expect(second.savedSearchId).not.toBe(first.savedSearchId);
  expect(await create({ operationId })).toEqual(first);
  expect(await create({ tenantId: 'ten_second', operationId })).toEqual(second);
});

it('lists them by pages, newest first, each once', async () => {
  const tenantId = 'ten_pages';
  for (let each = 0; each < 7; each += 1) await create({ tenantId });
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await test.searches.listSavedSearches({ tenantId, pageSize: 3, pageToken });
    seen.push(...page.savedSearches.map(({ savedSearchId }) => savedSearchId));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(new Set(seen).size).toBe(7);
  const whole = await test.searches.listSavedSearches({ tenantId, pageSize: 0, pageToken: '' });
  expect(whole.savedSearches.map(({ savedSearchId }) => savedSearchId)).toEqual(seen);
  expect(whole.savedSearches.map(({ createdMs }) => createdMs)).toEqual(
    whole.savedSearches.map(({ createdMs }) => createdMs).sort((a, b) => b - a),
  );
});

it('knows nothing of another tenant, nor of its pages', async () => {
  const { savedSearchId } = await create();
  const key = { tenantId: 'ten_other', savedSearchId };
  await expect(test.searches.getSavedSearch(key)).rejects.toMatchObject({ reason: 'unknown_saved_search' });
  await expect(test.searches.updateSavedSearch({ ...key, name: 'mine' })).rejects.toMatchObject({ reason: 'unknown_saved_search' });
  await expect(test.searches.deleteSavedSearch(key)).rejects.toMatchObject({ reason: 'unknown_saved_search' });
  expect((await test.searches.listSavedSearches({ tenantId: 'ten_other', pageSize: 0, pageToken: '' })).savedSearches).toEqual([]);
  await create();
  const { nextPageToken } = await test.searches.listSavedSearches({ tenantId: TENANT, pageSize: 1, pageToken: '' });
  expect(nextPageToken).not.toBe('');
  const stolen = test.searches.listSavedSearches({ tenantId: 'ten_other', pageSize: 1, pageToken: nextPageToken });
  await expect(stolen).rejects.toMatchObject({ faults: [{ field: 'page_token' }] });
});

it('names every fault at once', async () => {
  const refused = create({ tenantId: '', operationId: '', name: 'a\u0000'.repeat(60) });
  await expect(refused).rejects.toMatchObject({
    faults: expect.arrayContaining([
      expect.objectContaining({ field: 'tenant_id' }),
      expect.objectContaining({ field: 'operation_id' }),
      expect.objectContaining({ field: 'name' }),
    ]),
  });
});
