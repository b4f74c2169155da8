export { formatMessageId, MESSAGE_ID_RANDOM_SIZE_BYTES, signWebhook, type SignatureHeaders } from './sign';
export { openSecret, parseSealingKeys, sealSecret, SEALING_NONCE_SIZE_BYTES, type SealingKey } from './sealing';
export { formatWebhookSecret, WEBHOOK_SECRET_SIZE_BYTES } from './secret';
