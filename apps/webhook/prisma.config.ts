import { serviceConfig } from '../../tools/prisma/service-config.mjs';

export default serviceConfig();
