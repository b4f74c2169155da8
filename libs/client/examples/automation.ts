import { type MarketState, NotFoundError, type OperationId } from '../src';
import type { Example, Given } from './example';

const RULE = { kind: 'severity_at_least', params: { severity_class: 'high_context' } } as const;

/** Creates a watchlist and deletes it afterwards. */
async function withWatchlist<T>(ms: MarketState, { symbol }: Given, work: (watchlistId: string) => Promise<T>): Promise<T> {
  const { data } = await ms.watchlists.create({ name: 'Majors', symbols: [symbol], rules: [RULE] });
  const result = await work(data.watchlist_id);
  await ms.watchlists.delete({ watchlist_id: data.watchlist_id });
  return result;
}

async function withSearch<T>(ms: MarketState, { symbol }: Given, work: (savedSearchId: string) => Promise<T>): Promise<T> {
  const { data } = await ms.savedSearches.create({ name: 'Fragile', query: { symbol, state: 'fragile_depth_watch' } });
  const result = await work(data.saved_search_id);
  await ms.savedSearches.delete({ saved_search_id: data.saved_search_id });
  return result;
}

async function withAlert<T>(ms: MarketState, { symbol }: Given, work: (alertId: string) => Promise<T>): Promise<T> {
  const { data } = await ms.alerts.create({ name: 'High severity', symbol, rule: RULE });
  const result = await work(data.alert_id);
  await ms.alerts.delete({ alert_id: data.alert_id });
  return result;
}

/** Creates an active endpoint: its test has succeeded. */
async function withWebhook<T>(ms: MarketState, { receiverUrl }: Given, work: (webhookId: string) => Promise<T>): Promise<T> {
  const { data } = await ms.webhooks.create({ url: receiverUrl, event_kinds: ['alert.triggered', 'export.finished'] });
  await ms.webhooks.test({ webhook_id: data.webhook_id });
  const result = await work(data.webhook_id);
  await ms.webhooks.delete({ webhook_id: data.webhook_id });
  return result;
}

const minuteAgo = (): string => new Date(Date.now() - 60_000).toISOString();

/** Finishes an export, which sends a message to every tenant with an endpoint. */
async function withMessage<T>(ms: MarketState, given: Given, work: (messageId: string, webhookId: string) => Promise<T>): Promise<T> {
  return withWebhook(ms, given, async (webhookId) => {
    const { symbol, from, to } = given;
    await ms.exports.wait(await ms.exports.create({ dataset: 'trades', symbols: [symbol], from, to, format: 'csv' }));
    for await (const { data } of ms.webhooks.eventsRows({ kinds: 'export.finished', wait_seconds: 20 }).pages()) {
      const message = data.events.at(-1);
      if (message !== undefined) return work(message.id, webhookId);
    }
    throw new Error('no message received');
  });
}

export const automationExamples = {
  createWatchlist: (ms, given) => withWatchlist(ms, given, (id) => Promise.resolve(id)),
  listWatchlists: (ms) => ms.watchlists.rows().take(10),
  getWatchlist: (ms, given) => withWatchlist(ms, given, (id) => ms.watchlists.get({ watchlist_id: id })),
  updateWatchlist: (ms, given) => withWatchlist(ms, given, (id) => ms.watchlists.update({ watchlist_id: id, muted: true })),
  deleteWatchlist: (ms, given) => withWatchlist(ms, given, () => Promise.resolve()),
  rehearseWatchlist: (ms, given) =>
    withWatchlist(ms, given, (id) => ms.watchlists.rehearse({ watchlist_id: id, from: given.from, to: given.to })),
  createSavedSearch: (ms, given) => withSearch(ms, given, (id) => Promise.resolve(id)),
  listSavedSearches: (ms) => ms.savedSearches.rows().take(10),
  getSavedSearch: (ms, given) => withSearch(ms, given, (id) => ms.savedSearches.get({ saved_search_id: id })),
  updateSavedSearch: (ms, given) => withSearch(ms, given, (id) => ms.savedSearches.update({ saved_search_id: id, name: 'Fragile books' })),
  deleteSavedSearch: (ms, given) => withSearch(ms, given, () => Promise.resolve()),
  getSavedSearchResults: (ms, given) => withSearch(ms, given, (id) => ms.savedSearches.resultsRows({ saved_search_id: id }).take(10)),
  createAlert: (ms, given) => withAlert(ms, given, (id) => Promise.resolve(id)),
  listAlerts: (ms) => ms.alerts.rows().take(10),
  rehearseAlerts: (ms, { symbol, from, to }) => ms.alerts.rehearse({ symbols: [symbol], rules: [RULE], from, to }),
  getAlert: (ms, given) => withAlert(ms, given, (id) => ms.alerts.get({ alert_id: id })),
  updateAlert: (ms, given) => withAlert(ms, given, (id) => ms.alerts.update({ alert_id: id, muted: true })),
  deleteAlert: (ms, given) => withAlert(ms, given, () => Promise.resolve()),
  createWebhook: (ms, given) => withWebhook(ms, given, (id) => Promise.resolve(id)),
  listWebhooks: (ms) => ms.webhooks.rows().take(10),
  getWebhook: (ms, given) => withWebhook(ms, given, (id) => ms.webhooks.get({ webhook_id: id })),
  updateWebhook: (ms, given) => withWebhook(ms, given, (id) => ms.webhooks.update({ webhook_id: id, description: 'Trading alerts' })),
  deleteWebhook: (ms, given) => withWebhook(ms, given, () => Promise.resolve()),
  testWebhook: (ms, given) => withWebhook(ms, given, (id) => ms.webhooks.test({ webhook_id: id })),
  confirmWebhook: async (ms, { newEmail, mailedCode }) => {
    const email = newEmail();
    const { data } = await ms.webhooks.create({ kind: 'email', email, event_kinds: ['alert.triggered'], digest_minutes: 15 });
    await ms.webhooks.test({ webhook_id: data.webhook_id });
    await ms.webhooks.confirm({ webhook_id: data.webhook_id, code: await mailedCode(email) });
    await ms.webhooks.delete({ webhook_id: data.webhook_id });
  },
  // The token is in each email of the endpoint.
  unsubscribe: async (ms) => {
    const refused = await ms.webhooks.unsubscribe({ token: 'we_0.1.x' }).catch((error: unknown) => error);
    if (refused instanceof NotFoundError) return refused.code;
    throw refused;
  },
  rotateWebhookSecret: (ms, given) => withWebhook(ms, given, (id) => ms.webhooks.rotateSecret({ webhook_id: id, grace_hours: 1 })),
  enableWebhook: (ms, given) =>
    withWebhook(ms, given, async (id) => {
      await ms.webhooks.update({ webhook_id: id, disabled: true });
      return ms.webhooks.enable({ webhook_id: id });
    }),
  recoverWebhook: (ms, given) => withWebhook(ms, given, (id) => ms.webhooks.recover({ webhook_id: id, since: minuteAgo() })),
  replayMissingWebhook: (ms, given) => withWebhook(ms, given, (id) => ms.webhooks.replayMissing({ webhook_id: id, since: minuteAgo() })),
  getWebhookTask: (ms, given) =>
    withWebhook(ms, given, async (id) => {
      const { data } = await ms.webhooks.recover({ webhook_id: id, since: minuteAgo() });
      return ms.webhooks.task({ task_id: data.task_id });
    }),
  listWebhookDeliveries: (ms) => ms.webhooks.deliveriesRows().take(10),
  listWebhookEvents: (ms) => ms.webhooks.eventsRows().take(10),
  getWebhookEvent: (ms, given) => withMessage(ms, given, (messageId) => ms.webhooks.event({ message_id: messageId })),
  resendWebhookEvent: (ms, given) =>
    withMessage(ms, given, (messageId, webhookId) => ms.webhooks.resend({ message_id: messageId, webhook_id: webhookId })),
} satisfies Partial<Record<OperationId, Example>>;
