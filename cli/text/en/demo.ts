export const demoText = {
  opening: (folder: string) => `The team plays in a scratch repository (${folder}); only the words of the model are written beforehand.`,
  before: (tests: string) => `Before: ${tests}`,
  sentBack: 'sent back',
  resultOf: (task: string) => `result of ${task}`,
  outcome: (outcome: string, commit: string | undefined) => `${outcome}${commit === undefined ? '' : ` as ${commit}`}`,
  answer: (text: string) => `Lead: ${text}`,
  after: (tests: string) => `After, on the merged tree: ${tests}`,
  good: 'The tests of the merged tree pass.',
  bad: 'Something has not landed, or the tests fail.',
};
