import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@market-state/testing';
import { mailedCode, unsubscribeToken } from '../../system/stored';
import { PLAYED, type Scene } from '../scene';
import type { Step } from '../step';

const BASE = '/api/public/market-state';
const RULE = { kind: 'severity_at_least', params: { severity_class: 'elevated_context' }, min_consecutive: 2 };
const MESSAGE_MS = 300_000;
const LOOK_MS = 2_000;
const KINDS = ['alert.triggered'];

/** Set up before the simulated market becomes severe, so that its alerts are sent. */
export const watchingSteps: readonly Step[] = [
  {
    operation: 'createWebhook',
    summary: 'A new endpoint. Its secret, shown only once, is replaced here.',
    body: ({ receiver }) => ({ url: receiver.url, event_kinds: KINDS, symbols: [PLAYED], description: 'Pager' }),
  },
  { operation: 'testWebhook', summary: 'A test answered with 200: the endpoint is live.' },
  {
    operation: 'createAlert',
    summary: 'An alert on elevated severity, two packets in a row.',
    body: () => ({ name: 'Elevated', symbol: PLAYED, rule: RULE }),
    after: (scene) => void (scene.receiver.isBusy = true),
  },
  {
    operation: 'createWatchlist',
    summary: 'One symbol with two rules.',
    body: () => ({ name: 'Desk', symbols: [PLAYED], rules: [{ kind: 'state_changed' }, { kind: 'feed_stale', params: { seconds: 60 } }] }),
  },
  {
    operation: 'createSavedSearch',
    summary: 'A search for elevated packets.',
    body: () => ({ name: 'Elevated', query: { symbol: PLAYED, severity_class: 'elevated_context' } }),
  },
];

export const automationSteps: readonly Step[] = [
  { operation: 'listWatchlists', summary: 'The watchlist.', query: () => ({ limit: 2 }) },
  { operation: 'getWatchlist', summary: 'A watchlist and the states of its rules.' },
  { operation: 'updateWatchlist', summary: 'A renamed watchlist.', body: () => ({ name: 'Desk, day shift' }) },
  { operation: 'rehearseWatchlist', summary: "Notices the watchlist's rules would have sent.", body: () => ({}) },
  {
    operation: 'rehearseAlerts',
    summary: 'Notices a rule would have sent.',
    body: () => ({ symbols: [PLAYED], rules: [RULE] }),
  },
  { operation: 'listAlerts', summary: 'The alert.', query: () => ({ limit: 2 }) },
  { operation: 'getAlert', summary: 'An alert and the state of its rule.' },
  { operation: 'updateAlert', summary: 'The alert, muted.', body: () => ({ muted: true }) },
  { operation: 'listSavedSearches', summary: 'One search.', query: () => ({ limit: 2 }) },
  { operation: 'getSavedSearch', summary: 'A search.' },
  { operation: 'getSavedSearchResults', summary: 'The newest packet it matches.', query: () => ({ limit: 1 }) },
  { operation: 'updateSavedSearch', summary: 'A renamed search.', body: () => ({ name: 'Elevated, one symbol' }) },
];

/** Deliveries that failed while the receiver was busy, and their recovery. */
export const deliverySteps: readonly Step[] = [
  { operation: 'getWebhook', summary: 'An endpoint whose deliveries have been failing.', before: untilMessage },
  { operation: 'listWebhooks', summary: 'One endpoint.', query: () => ({ limit: 2 }) },
  { operation: 'updateWebhook', summary: 'A disabled endpoint.', body: () => ({ disabled: true }) },
  { operation: 'enableWebhook', summary: 'An endpoint that needs a new test.' },
  {
    operation: 'recoverWebhook',
    summary: 'A task that resends failed messages.',
    async before(scene) {
      scene.receiver.isBusy = false;
      await scene.call('POST', `${BASE}/webhooks/${scene.thing('webhook_id')}/test`);
    },
    body: () => ({ since: new Date(Date.now() - 3_600_000).toISOString() }),
  },
  { operation: 'getWebhookTask', summary: 'A finished task.', until: ({ status }) => status === 'done' },
  {
    operation: 'listWebhookDeliveries',
    summary: 'The newest two attempts.',
    query: (scene) => ({ webhook_id: scene.thing('webhook_id'), limit: 2 }),
  },
  { operation: 'listWebhookEvents', summary: 'A message returned by polling.', query: () => ({ kinds: 'alert.triggered', limit: 1 }) },
  { operation: 'getWebhookEvent', summary: 'A message and its deliveries.' },
  { operation: 'resendWebhookEvent', summary: 'One more attempt.', body: (scene) => ({ webhook_id: scene.thing('webhook_id') }) },
  {
    operation: 'rotateWebhookSecret',
    summary: 'A new secret; the previous one also signs for a day. The secret is replaced here.',
    body: () => ({ grace_hours: 24 }),
  },
  {
    operation: 'replayMissingWebhook',
    summary: 'A task that sends earlier messages to a new endpoint.',
    before: openSecondEndpoint,
    body: () => ({ since: new Date(Date.now() - 3_600_000).toISOString() }),
  },
  {
    operation: 'confirmWebhook',
    summary: 'A confirmed email.',
    before: openEmail,
    path: (scene) => `${BASE}/webhooks/${scene.thing('email_endpoint_id')}/confirm`,
    body: (scene) => ({ code: scene.thing('mailed_code') }),
    after: (scene) => void scene.things.set('webhook_id', scene.thing('other_endpoint_id')),
  },
  {
    operation: 'unsubscribe',
    summary: 'An address that gets no more emails.',
    as: 'anonymous',
    async before(scene) {
      await scene.call('POST', `${BASE}/webhooks/${scene.thing('email_endpoint_id')}/test`);
      const token = await waitUntil('an unsubscribe link', () => unsubscribeToken(scene.system, `desk-${scene.email}`));
      scene.things.set('token', token);
    },
  },
];

export const deletionSteps: readonly Step[] = [
  { operation: 'deleteSavedSearch', summary: 'The deleted search.' },
  { operation: 'deleteAlert', summary: 'The deleted alert.' },
  { operation: 'deleteWatchlist', summary: 'The deleted watchlist.' },
  { operation: 'deleteWebhook', summary: 'The deleted endpoint.' },
];

async function untilMessage(scene: Scene): Promise<void> {
  await waitUntil(
    'an attempt that failed',
    async () => {
      const { attempts } = await scene.call('GET', `${BASE}/webhooks/deliveries?webhook_id=${scene.thing('webhook_id')}`);
      const failed = (attempts as readonly Readonly<Record<string, unknown>>[]).find(({ event_kind: kind }) => kind === 'alert.triggered');
      if (failed !== undefined) scene.things.set('message_id', String(failed['message_id']));
      else await delay(LOOK_MS);
      return failed !== undefined;
    },
    MESSAGE_MS,
  );
}

async function openSecondEndpoint(scene: Scene): Promise<void> {
  const { webhook_id: id } = await scene.call('POST', `${BASE}/webhooks`, {
    url: scene.receiver.url,
    event_kinds: KINDS,
    description: 'Archive',
  });
  await scene.call('POST', `${BASE}/webhooks/${String(id)}/test`);
  scene.things.set('webhook_id', String(id));
}

/** The answer about the email replaces the scene's endpoint, which is needed afterwards. */
async function openEmail(scene: Scene): Promise<void> {
  const email = `desk-${scene.email}`;
  const { webhook_id: id } = await scene.call('POST', `${BASE}/webhooks`, {
    kind: 'email',
    email,
    event_kinds: KINDS,
    description: 'Desk',
  });
  await scene.call('POST', `${BASE}/webhooks/${String(id)}/test`);
  const code = await waitUntil('a mailed code', () => mailedCode(scene.system, email));
  scene.things.set('email_endpoint_id', String(id)).set('mailed_code', code).set('other_endpoint_id', scene.thing('webhook_id'));
}
