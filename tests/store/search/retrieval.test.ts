// Answers are found in Chinese conversations too, and comparing vectors takes nothing away.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measureRetrieval, readConversations } from '../../bench/retrieval.ts';
import { tempFolder } from '../../helpers/temp.ts';

test('most questions of the Chinese set find a message that answers them among the first five', async () => {
  const conversations = readConversations(join(import.meta.dirname, '..', '..', 'fixtures', 'chinese-conversation.json')) ?? [];
  const rows = new Map((await measureRetrieval(conversations, tempFolder())).map((row) => [row.way, row]));
  const [keyword, hybrid] = [rows.get('keyword'), rows.get('hybrid (built-in)')];
  expect(keyword?.questions).toBeGreaterThanOrEqual(50);
  expect(keyword?.recall5).toBeGreaterThanOrEqual(0.85);
  expect(hybrid?.recall5).toBeGreaterThanOrEqual(keyword?.recall5 ?? 1);
});
