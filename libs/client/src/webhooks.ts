export { VerificationError } from './errors';
export type { WebhookEvent } from './webhooks/event';
export { verifyWebhook, type VerifyWebhookOptions, type WebhookHeaders } from './webhooks/verify-webhook';
