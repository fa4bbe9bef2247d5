import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { blobsContract } from '../contract/blobs.ts';

blobsContract('blobs in memory', async () => ({ blobs: memoryBlobs(), dispose: async () => {} }));
