export {
  formatMessageId,
  MESSAGE_ID_RANDOM_SIZE_BYTES,
  signWebhook,
  type SignatureHeaders,
  formatWebhookSecret,
  WEBHOOK_SECRET_SIZE_BYTES,
} from './sign';
export { openSecret, parseSealingKeys, sealSecret, SEALING_NONCE_SIZE_BYTES, type SealingKey } from './sealing';
