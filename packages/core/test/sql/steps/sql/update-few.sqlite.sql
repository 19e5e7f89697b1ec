update "album" set "facts" = case when "id" = ? then ? when "id" = ? then ? end, "labelId" = case when "id" = ? then ? when "id" = ? then ? else "labelId" end
where "id" in (?, ?)
-- [111,"{\"b\":2}",112,null,111,2,112,null,111,112]
