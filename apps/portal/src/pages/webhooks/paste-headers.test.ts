import { headersOf } from './paste-headers';

const wanted = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1795627589', 'webhook-signature': 'v1,aGVsbG8= v1,d29ybGQ=' };

test.each([
  ['lines', 'Webhook-Id: msg_1\nwebhook-timestamp: 1795627589\r\nwebhook-signature: v1,aGVsbG8= v1,d29ybGQ='],
  ['JSON', '{\n  "webhook-id": "msg_1",\n  "webhook-timestamp": "1795627589",\n  "webhook-signature": "v1,aGVsbG8= v1,d29ybGQ="\n}'],
  ['curl', "-H 'webhook-id: msg_1' \\\n  -H 'webhook-timestamp: 1795627589' \\\n  -H 'webhook-signature: v1,aGVsbG8= v1,d29ybGQ='"],
])('headers are read from %s', (_kind, text) => expect(headersOf(text)).toEqual(wanted));

test('lines that are no headers are passed over', () => expect(headersOf('POST /hook HTTP/1.1\n\nnonsense')).toEqual({}));
