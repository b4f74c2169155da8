export { readGatewayConfig } from './config';
