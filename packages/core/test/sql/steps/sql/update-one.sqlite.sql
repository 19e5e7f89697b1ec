update "album" set "title" = ?, "facts" = ?
where "id" = ?
-- ["New",null,111]
