update "album" set "title" = $1, "facts" = $2::text::json
where "id" = $3
-- ["New",null,111]
