import { runMain } from '@market-state/lifecycle';

runMain('export', async () => ({ close: async () => undefined }));
