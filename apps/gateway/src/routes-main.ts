import { formatRoutes, listRoutes } from './routes-table';

process.stdout.write(`${formatRoutes(listRoutes())}\n`);
