-- Addresses of hooks were stored with part of their token if something followed it. Only the public beginning stays; the whole is sealed.
UPDATE "endpoint" SET "url" = coalesce(
    substring("url" from '^https://[^/]+/services/T\w+/B\w+/'),
    substring("url" from '^https://[^/]+/api/(?:v\d+/)?webhooks/\d+/'),
    substring("url" from '^https://[^/]+/hooks/'),
    substring("url" from '^https://[^/]+/'),
    ''
  ) || '…'
WHERE "kind" IN ('slack', 'discord');
