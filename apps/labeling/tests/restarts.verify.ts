import { testRestarts } from './labeler-restarts';

testRestarts([12, 13, 14, 15, 16]);
