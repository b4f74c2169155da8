import { testRestarts } from './labeler-restarts';

testRestarts([11]);
