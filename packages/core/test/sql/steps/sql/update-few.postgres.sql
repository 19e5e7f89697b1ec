update "album" set "facts" = case when "id" = $1::bigint then $2::text::json when "id" = $3::bigint then $4::text::json end, "labelId" = case when "id" = $5::bigint then $6 when "id" = $7::bigint then $8 else "labelId" end
where "id" in ($9::bigint, $10::bigint)
-- [111,"{\"b\":2}",112,null,111,2,112,null,111,112]
