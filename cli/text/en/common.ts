export const commonText = {
  page: (page: number, pages: number, total: number) => `Page ${page}/${pages} (${total} total)`,
  nextPage: (page: number) => `Use --page ${page} for next`,
  nothing: 'Nothing here yet.',
  hint: 'hint',
  retrying: (why: string, seconds: number, number: number) => `${why}; trying again in ${seconds} s (retry ${number})`,
};
