export { readGatewayConfig, type GatewayConfig } from './config';
export { startGateway, type Gateway, type GatewayOverrides } from './gateway';
export { openApiDocument, type OpenApiDocument } from './serving/openapi/document';
export { formatRoutes, listRoutes, type RouteLine } from './routes-table';
