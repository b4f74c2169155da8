/** Name of the tenant that the demo key is of, and whose receipts the previews show. */
export const DEMO_TENANT = 'demo';
